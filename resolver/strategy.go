package resolver

// Strategy is how a program records, retries and recovers: the executor is built with one. The values
// worth comparing are in package strategy.
type Strategy struct {
	Name string
	// Doc says in one line what it does on restart or after no answer.
	Doc string
	// SendsKey: every request carries the operation id.
	SendsKey bool
	// Ask is what it asks the service when the outcome of a call is uncertain.
	Ask Ask
	// Record is when it writes down what it does.
	Record RecordOrder
	// Careful: it checks just before a call what the approval relied on, and reads back what was written.
	Careful bool
	// FromStart: a new process begins the whole task again; nothing saved is used, and a call without an
	// answer ends the process.
	FromStart bool
}

// Ask is what a strategy asks when it does not know whether a call had its effect.
type Ask int

// The questions.
const (
	// AskNothing calls again.
	AskNothing Ask = iota
	// AskByID asks about the operation id, and trusts "not found" only after MaxDelay.
	AskByID
	// AskByArguments looks among recent changes for the same tool, order and arguments, and takes "not
	// found" at its word.
	AskByArguments
)

// RecordOrder is when a strategy saves what it does about one action.
type RecordOrder int

// The orders of record and call.
const (
	// RecordAttemptFirst saves "pending, attempt n" before call n.
	RecordAttemptFirst RecordOrder = iota
	// RecordDoneFirst saves "done", then calls.
	RecordDoneFirst
	// RecordDoneLast calls, then saves.
	RecordDoneLast
)
