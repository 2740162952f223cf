package history

import (
	"fmt"
	"time"
)

// Schema names the JSON form of a History.
const Schema = "paytwice.history/1"

// History is every life of one plan and what the world had on record at the end.
type History struct {
	Schema     string   `json:"schema"`
	Scenario   string   `json:"scenario,omitempty"`
	Strategy   string   `json:"strategy,omitempty"`
	Provider   string   `json:"provider,omitempty"`
	Plan       string   `json:"plan"`
	Lives      []Life   `json:"lives"`
	Ledger     []Effect `json:"ledger"`
	Verdict    Verdict  `json:"verdict"`
	Violations []string `json:"violations"`
	// Broken says of each violation what broke it.
	Broken []Violation `json:"broken,omitempty"`
	// LeftOut says what is missing because the replay was interrupted: then nothing was judged, and the ledger
	// was not read.
	LeftOut string `json:"left_out,omitempty"`
}

// Verdict is what the judge says of a history. Never a bare bool: a bound that was reached is neither.
type Verdict string

// The verdicts.
const (
	Pass      Verdict = "pass"
	Violated  Verdict = "violation"
	Undecided Verdict = "undecided"
)

// Violation is one broken invariant and what broke it.
type Violation struct {
	Invariant string `json:"invariant"`
	Detail    string `json:"detail"`
	// Intent is the one intent that it is about, where it is about one.
	Intent string `json:"intent,omitempty"`
}

// End is how a life ended.
type End string

// The ends of a life. Done and Person are the program's own; Failed is an error that a restart may mend.
const (
	Killed End = "killed"
	Done   End = "done"
	Person End = "person"
	Failed End = "error"
)

// Life is one incarnation of the process, from its start to a kill or its own end.
type Life struct {
	Events []Event `json:"events"`
	Ended  End     `json:"ended"`
	// At is the point of the kill, empty if the life was not killed.
	At string `json:"at,omitempty"`
	// Hung: it came to no end, and the harness ended it.
	Hung bool `json:"hung,omitempty"`
	// Error is what a failed life said.
	Error string `json:"error,omitempty"`
	// PID is the process that lived it; 0 in a simulation. It is no part of the saved form, which must
	// not differ between two runs of one plan.
	PID int `json:"-"`
	// Output is the last of what that process wrote, where somebody asked for it. It is no part of the saved form.
	Output string `json:"-"`
}

// Event is one passage of a point, or something that was done there. N counts within the life, from 1.
//
// What is a sentence for people; the judge reads the other fields.
type Event struct {
	N         int       `json:"n"`
	Seam      string    `json:"seam"`
	Operation string    `json:"operation"`
	Position  string    `json:"position"`
	Call      int       `json:"call"`
	What      string    `json:"what"`
	At        time.Time `json:"at"`
	// Process tells apart several processes of one life: 0 is the one the plan is about, 1 and up are
	// others that live beside it.
	Process int `json:"process,omitempty"`
	// Where is the line of the program's own code that is passing the point, where it is known.
	Where string `json:"where,omitempty"`
	// Injected is the verb of what was injected here.
	Injected string `json:"injected,omitempty"`
	// Request is the write or look-up this call makes, on its before event.
	Request *Request `json:"request,omitempty"`
	// Answer is what came back, on the after event.
	Answer string `json:"answer,omitempty"`
	// RecordID is the record that an answer names.
	RecordID string `json:"record_id,omitempty"`
	// Repeated: the answer is an earlier request's.
	Repeated bool `json:"repeated,omitempty"`
	// Saved is what a save wrote, on the after event of the save (and on before, what it is about to).
	Saved *Saved `json:"saved,omitempty"`
	// Loaded is what a load read.
	Loaded *Saved `json:"loaded,omitempty"`
	// Decision is the model decision that this call asks for.
	Decision *Decision `json:"decision,omitempty"`
}

// PaysModel reports whether an event is a model call that is paid for: its request has arrived.
func (e Event) PaysModel() bool { return e.Seam == "model" && e.Position == "during" }

// ModelCalls counts the model calls among events that were paid for.
func ModelCalls(events []Event) int {
	n := 0
	for _, e := range events {
		if e.PaysModel() {
			n++
		}
	}
	return n
}

// Request is one write, or a question about one.
type Request struct {
	// Intent is the operation id of what is asked for, whatever key the request carries.
	Intent string `json:"intent,omitempty"`
	// Key is what the request carries; empty if it carries none.
	Key string `json:"key,omitempty"`
	// Write is true for a call that changes something, Ask for a question whether it happened.
	Write bool   `json:"write,omitempty"`
	Ask   bool   `json:"ask,omitempty"`
	What  string `json:"what,omitempty"`
	// Payload is the canonical form of what is asked for.
	Payload string `json:"payload,omitempty"`
	// Undoes is the intent whose effect this write takes back, Owner the one the program believes its own.
	Undoes string `json:"undoes,omitempty"`
	Owner  string `json:"owner,omitempty"`
}

// Decision is one step of one run's loop.
type Decision struct {
	Run    string `json:"run"`
	Repeat int    `json:"repeat"`
	Step   int    `json:"step"`
}

// Point returns the name of the point that the event passed.
func (e *Event) Point() string {
	return fmt.Sprintf("%s.%s/%s#%d", e.Seam, e.Operation, e.Position, e.Call)
}

// Answers of a call.
const (
	Applied     = "applied"
	Refused     = "refused"
	InFlight    = "in-flight"
	NoAnswer    = "no-answer"
	Unavailable = "unavailable"
	Found       = "found"
	NotFound    = "not-found"
	Answered    = "answered"
	Errored     = "error"
	// TakenBack: a change that had been confirmed does not stand any more.
	TakenBack = "taken-back"
	// UnavailableSafe is a 503 of a service that promises it changed nothing.
	UnavailableSafe = "unavailable-unchanged"
)

// Effect is one entry of the ledger.
type Effect struct {
	Seq         int       `json:"seq"`
	Tool        string    `json:"tool"`
	Ticket      string    `json:"ticket,omitempty"`
	Intent      string    `json:"intent,omitempty"`
	OperationID string    `json:"operation_id"`
	RecordID    string    `json:"record_id,omitempty"`
	Subject     string    `json:"subject,omitempty"`
	AmountCents int64     `json:"amount_cents,omitempty"`
	Currency    string    `json:"currency,omitempty"`
	Reason      string    `json:"reason,omitempty"`
	Payload     string    `json:"payload,omitempty"`
	Reversed    bool      `json:"reversed,omitempty"`
	At          time.Time `json:"at"`
}

// Saved is what the program has on record about one run.
type Saved struct {
	Run        string      `json:"run"`
	Status     string      `json:"status"`
	Step       int         `json:"step"`
	Operations []Operation `json:"operations,omitempty"`
	// Approved lists the intents of the approved proposal, in order; Approval names the approval.
	Approved   []Intent `json:"approved,omitempty"`
	Approval   string   `json:"approval,omitempty"`
	ModelCalls int      `json:"model_calls"`
	// Proposed lists the intents of a proposal that nobody approved, in order. The judge reads it off the records at
	// the end; it is no part of the saved form.
	Proposed []Intent `json:"-"`
}

// Intent is one approved change.
type Intent struct {
	ID          string `json:"id"`
	Tool        string `json:"tool"`
	Subject     string `json:"subject"`
	AmountCents int64  `json:"amount_cents,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Payload     string `json:"payload"`
}

// Operation is the recorded state of one intent.
type Operation struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Attempts int    `json:"attempts"`
	RecordID string `json:"record_id,omitempty"`
	Error    string `json:"error,omitempty"`
	// Differs: what was read back is not what was asked for.
	Differs bool `json:"differs,omitempty"`
}

// Recorded statuses of an operation.
const (
	OperationPending = "pending"
	OperationDone    = "done"
	OperationFailed  = "failed"
	OperationUnknown = "unknown"
)
