package checkpoint

import "errors"

// The file. Each error that wraps one of these names the file; nothing was changed.
var (
	// ErrLocked is returned when another process kept the file locked longer than the busy time-out.
	ErrLocked = errors.New("another process keeps the file locked: wait until it is done, or end it, and try again")
	// ErrFull is returned when the disk, or the size that the file may have, is full.
	ErrFull = errors.New("no room to write: free some space and try again; what was saved before is intact")
	// ErrNotWritable is returned when the file or its folder can't be opened or written.
	ErrNotWritable = errors.New("can't be opened for writing: check that the folder exists and that you may write to it and to the file")
	// ErrDamaged is returned when the file is no database, or is cut short or altered.
	ErrDamaged = errors.New("not a database, or a damaged one: move the file away, and put back a copy if you have one")
	// ErrNotStore is returned when the file is a database, but not one with the tables of this package.
	ErrNotStore = errors.New("a database, but no store of runs: choose another file")
	// ErrNewerSchema is returned when a newer build has changed the file's schema.
	ErrNewerSchema = errors.New("saved by a newer build: use that build, or another file")
	// ErrIO is returned when the system could not read or write for a reason of its own.
	ErrIO = errors.New("the system could not read or write the file: check the disk and try again")
)

// Transactions.
var (
	// ErrOutcomeUnknown is returned when a commit failed and reading back failed too: the change may be
	// there or not. Load the run to find out.
	ErrOutcomeUnknown = errors.New("it is not known whether the change was saved: load the run to find out")
	// ErrNotVacuumed is returned by Prune when the runs are deleted, but the file could not be rebuilt
	// afterwards: remains of them may still be in it until the next Prune.
	ErrNotVacuumed = errors.New("the runs are deleted, but remains may still be in the file: prune again")
)

// Arguments.
var (
	// ErrBadArgument is returned when a call can't mean anything: a run without an id, a lease without
	// a time to live, a trail entry of another run.
	ErrBadArgument = errors.New("bad argument")
)

// The trail.
var (
	// ErrTrailBroken is returned when a trail entry is missing, changed or out of order.
	ErrTrailBroken = errors.New("the trail is broken")
)
