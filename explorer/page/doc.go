// Package page writes the explorer page: one HTML file that holds everything it shows and asks for nothing
// from outside, in English and in French.
//
//   - [Write] writes any document of package history, or an [Explorer]: the lesson's six cases and the map.
//   - [Read] reads a saved report, which is hostile until it is parsed.
//   - [Policy] is the content security policy that the page keeps, and names itself.
//
// What the page shows is worked out here; the script picks from it and draws. It computes no outcome.
//
// Import rule: explorer/history and explorer/story.
package page
