// Package checkpoint is the store of runs: what a killed process leaves for the next one.
//
// Two stores keep one contract, [Store], and pass one conformance suite:
//
//   - [Open] returns a [SQLite], one file, durable: the default.
//   - [NewMemory] returns a [Memory], which dies with the process, and can be put back to an earlier
//     [Image] in a few microseconds: for a search that runs thousands of lives a second.
//
// What they keep, each in a table of its own: runs (the state as one JSON document beside the columns
// that a list shows, one row a run, replaced at each save), leases (who works on a run, with a fencing
// token), the trail (append only, chained by [VerifyTrail]) and the ids of pruned runs.
//
// [ThisProcess] and [Alive] name a process closely enough to tell whether it still runs.
//
// Import rule: the packages resolver and resolver/statements, the standard library and modernc.org/sqlite,
// nothing else.
package checkpoint
