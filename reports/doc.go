// Package reports turns histories and verdicts into what people and machines read: text for a terminal,
// JSON, Markdown, and the forms that other tools take.
//
// Every format of a document holds the same numbers: they are taken from the document, never worked out
// again. It imports explorer/history and explorer/story of this module, nothing else.
package reports
