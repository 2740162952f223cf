// Package check holds the invariants that the judge applies to what happened, one family a file. Each
// file's header says what it checks and what it does not.
//
// An invariant is a function of the durable state at the end, or a small monitor that sees every event
// and is carried along while states are merged. The judge reads the history and the ledger; it calls no
// function of the code under test.
//
// It imports history only.
package check

import (
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
)

// Outcome is what the world has on record once the program has come to rest.
type Outcome struct {
	// Ledger holds the effects, in the order in which they happened.
	Ledger []history.Effect
	// Runs is what the program itself has on record.
	Runs []history.Saved
	// Captured holds, per subject, what was paid in cents; a subject that is missing has no limit.
	Captured map[string]int64
	// Refunded holds, per subject, what was paid back before the first life.
	Refunded map[string]int64
	// Trail is the program's own trail; TrailBroken says where its chain breaks, empty if it is whole.
	Trail       []TrailEntry
	TrailBroken string
	// NoTrail says that the program keeps none.
	NoTrail bool
	// Intents are changes the program was told to make without an approval it could save.
	Intents []history.Intent
	// Received counts, by intent, the write requests that the service received.
	Received map[string]int
	// Notes counts, by run, the notes in its ticket that say how the run ended.
	Notes map[string]int
	// Broken is what a judge of the program's own found, under the names of All; Settings.Only holds for it, too.
	Broken []history.Violation
	// RuledOut holds the intents whose approval relied on what, by the world's own record, does not hold.
	RuledOut map[string]bool
	// Alerts is what a person was told.
	Alerts []string
}

// TrailEntry is one line of the program's trail.
type TrailEntry struct {
	Run         string
	What        string
	OperationID string
}

// Settings say what the program under test and the service it uses can do.
type Settings struct {
	// SendsKey: the program names its requests.
	SendsKey bool
	// Keys, Lookup: the service recognises a key; it can be asked what happened.
	Keys   bool
	Lookup bool
	// TrailsAttempts: every call has an entry of its own in the trail; NamesRecords: what is recorded as done names the
	// service's record.
	TrailsAttempts bool
	NamesRecords   bool
	// OneByOne: the actions of an approval are made in order, each once those before it are on record as made.
	OneByOne bool
	// MaxCalls bounds the calls for one intent; 0 means that nothing is promised.
	MaxCalls int
	// Only names the invariants to judge; empty means all.
	Only []string
}

// Monitor watches for one broken invariant along one path.
type Monitor interface {
	// See is told of every event of every life, in order.
	See(e *history.Event)
	// Copy returns a monitor in the same state, independent of this one.
	Copy() Monitor
	// Key is the monitor's state in canonical form: equal keys have equal futures.
	Key() string
	// Judge returns what was broken, given the outcome at the end.
	Judge(o *Outcome) []history.Violation
}

// Invariant is one rule that must hold.
type Invariant struct {
	Name string
	New  func(Settings) Monitor
}

// All returns the invariants in the order in which violations are listed.
func All() []Invariant {
	return []Invariant{
		{"double-write", final(doubleWrite)},
		{"same-reason", final(sameReason)},
		{"lost-write", newLostWrite},
		{"over-capture", final(overCapture)},
		{"state-mismatch", final(stateMismatch)},
		{"key-payload", newKeyPayload},
		{"status-back", newStatusBack},
		{"foreign-undo", newForeignUndo},
		{"unknown-as-failed", newUnknownAsFailed},
		{"attempts", newAttempts},
		{"unapproved-write", newUnapproved},
		{"decision-reasked", newReasked},
		{"needless-person", newNeedless},
		{"never-ends", newNeverEnds},
		{"trail", final(trail)},
	}
}

// Names returns the names of All, in its order.
func Names() []string {
	var names []string
	for _, i := range All() {
		names = append(names, i.Name)
	}
	return names
}

// InOrder sorts violations in the order of All, those of other names first, and returns them.
func InOrder(broken []history.Violation) []history.Violation {
	names := Names()
	slices.SortStableFunc(broken, func(a, b history.Violation) int {
		return slices.Index(names, a.Invariant) - slices.Index(names, b.Invariant)
	})
	return broken
}

// paidBack returns what was paid back of a subject, before the program began and in the ledger.
func (o *Outcome) paidBack(subject string) int64 {
	paid := o.Refunded[subject]
	for _, e := range o.Ledger {
		if e.Subject == subject && !e.Reversed {
			paid += e.AmountCents
		}
	}
	return paid
}

// final makes an invariant of the outcome alone.
func final(judge func(*Outcome, Settings) []history.Violation) func(Settings) Monitor {
	return func(s Settings) Monitor { return finalMonitor{s, judge} }
}

type finalMonitor struct {
	settings Settings
	judge    func(*Outcome, Settings) []history.Violation
}

func (finalMonitor) See(*history.Event) {}

func (finalMonitor) sees(*history.Event) bool { return false }

func (m finalMonitor) Copy() Monitor { return m }
func (finalMonitor) Key() string     { return "" }
func (m finalMonitor) Judge(o *Outcome) []history.Violation {
	return m.judge(o, m.settings)
}
