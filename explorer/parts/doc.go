// Package parts splits a run among machines and puts what they wrote together again: shards, the cases that
// an interrupted run had finished, and the whole that the parts add up to.
//
//   - [Shard] says which cases are one machine's; [ParseShard] reads it from a command line.
//   - [Read] reads a report, which is hostile until it is parsed.
//   - [Merge] joins the parts of one run; [Finished] takes what an interrupted run had done.
//
// It imports explorer/history.
package parts
