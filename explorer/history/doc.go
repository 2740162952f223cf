// Package history is the one record of what happened: every event of every life of a process, and beside
// it the ledger, the world's own record of effects, kept outside the process that was killed.
//
// Judges read a history and nothing else. It is a leaf: it imports the standard library only.
package history
