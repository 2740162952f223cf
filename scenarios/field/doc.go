// Package field holds reports from the field as scenarios: F01 to F18, each a crash, time-out, retry,
// lease or replay that paid twice or lost a write in a program that people run.
//
// Each report is a small program in a file of its own, with two forms that differ where it says
// p.broken: field/F01-broken does what was reported, field/F01 does what would have been right. They are
// models, written from the public report in our own words; no line of the reported programs is in them.
//
//   - What a report says of itself: report. What it runs on: machine, world, row.
//   - What a program can do: proc, with the store (find, scan, insert, update, remove, commit), the
//     provider (send, ask, settle) and the clock (wait).
//
// Each scenario's setting names the provider that its report is about. A mended form holds on every
// provider that offers what its mend is built on, a key or a look-up, for as long as the mend counts on
// it; on one that offers neither, nothing could mend it.
//
// It imports scenarios, its seams, explorer and faults; the programs know of no fault but what a call
// returns.
package field
