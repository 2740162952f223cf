package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// needless-person: a person is asked only when nobody else can decide.
//
// Needless is a person although no fault was injected, or although fewer calls than the bound are on
// record and asking the service, or its key, could have settled the matter. Reasons are a refusal by the
// service, somebody else's refund for the same reason, and three questions in a row that the service left
// unanswered. A program that gives up before any call has no reason on its own word: it is one of those,
// or the ledger leaves no room, or the world's record rules the intent out. That a record is not what was asked for
// must show in the ledger, too, unless a look-up was made to lag. A proposal that was saved must reach its
// approval.
//
// Not checked: persons the model asked for, a run that stops before its loop has proposed anything, whether a
// proposal reaches its approval whole, attempts on record that never left the process, and whether a key would have
// told what questions did not.
func newNeedless(s Settings) Monitor {
	return &needless{settings: s, refused: newTable[string, bool](strings.Compare),
		waits: newTable[string, bool](strings.Compare), silent: newTable[string, int](strings.Compare),
		mute: newTable[string, bool](strings.Compare)}
}

type needless struct {
	settings  Settings
	disturbed bool
	lagged    bool // a look-up did not show what was there
	advanced  bool // time passed between two lives
	beside    bool // two processes lived side by side: one stood still, or both resumed
	refused   table[string, bool]
	waits     table[string, bool] // runs whose proposal was saved, and has no approval yet
	silent    table[string, int]  // questions in a row that got no answer, up to enough, by seam
	mute      table[string, bool] // intents given up right after enough of them
}

// The verbs of a look-up that is late, and of time that passes.
const (
	lag     = "lag"
	advance = "advance"
)

// enough is how many unanswered questions in a row say that nobody can be asked.
const enough = 3

func (m *needless) sees(e *history.Event) bool {
	return e.Injected != "" && (!m.disturbed || !m.lagged && e.Injected == lag || !m.advanced && e.Injected == advance) || !m.beside && e.Process > 0 ||
		e.Answer == history.Refused || unanswered(e) || len(m.silent.held) > 0 || isRecord(e) && m.waits.has(e.Saved.Run) != waiting(e.Saved)
}

func (m *needless) See(e *history.Event) {
	if e.Injected != "" {
		m.disturbed, m.lagged, m.advanced = true, m.lagged || e.Injected == lag, m.advanced || e.Injected == advance
	}
	m.beside = m.beside || e.Process > 0
	if r := e.Request; r != nil && r.Write && e.Position == "after" && e.Answer == history.Refused {
		m.refused.set(r.Intent, true)
	}
	switch {
	case isRecord(e) && waiting(e.Saved):
		m.waits.set(e.Saved.Run, true)
	case isRecord(e) && len(e.Saved.Approved) > 0:
		m.waits.drop(e.Saved.Run)
	}
	switch {
	case unanswered(e):
		m.silent.set(e.Seam, min(m.silent.get(e.Seam)+1, enough))
	case e.Position == "after" && m.silent.has(e.Seam):
		m.silent.drop(e.Seam)
	case e.Saved != nil && e.Position == "before" && len(m.silent.held) > 0:
		m.about(e.Saved)
	}
}

// waiting reports whether a record says that its proposal waits for an approval.
func waiting(r *history.Saved) bool { return r.Status == statusWaiting && len(r.Approved) == 0 }

// unanswered reports whether a question got no answer. A write, and a decision of the model, is none.
func unanswered(e *history.Event) bool {
	return e.Position == "after" && (e.Answer == history.NoAnswer || e.Answer == history.Unavailable) &&
		(e.Request == nil || !e.Request.Write) && e.Decision == nil
}

// about takes a record that is about to be saved: what it gives up had nobody to ask. The questions belong
// to it alone, so that silence from before an approval, or from a note written later, excuses nothing.
func (m *needless) about(r *history.Saved) {
	given := r.Status != StatusPerson
	for _, held := range m.silent.held {
		for _, op := range r.Operations {
			if given && held.value == enough && (op.Status == history.OperationFailed || op.Status == history.OperationUnknown) {
				m.mute.set(op.ID, true)
			}
		}
	}
	m.silent = newTable[string, int](strings.Compare)
}

func (m *needless) Copy() Monitor {
	c := *m
	return &c
}

func (m *needless) Key() string {
	return flags(m.disturbed, m.lagged, m.advanced, m.beside) + "|" + m.refused.key() + "|" + m.waits.key() + "|" + m.silent.key() + "|" + m.mute.key()
}

// flags returns a digit for each of some bits.
func flags(bits ...bool) string {
	out := make([]byte, len(bits))
	for i, bit := range bits {
		out[i] = '0'
		if bit {
			out[i] = '1'
		}
	}
	return string(out)
}

func (m *needless) Judge(o *Outcome) []history.Violation {
	var out []history.Violation
	for _, r := range o.Runs {
		why := ""
		switch {
		case len(r.Approved) == 0:
			why = m.givenUp(o, r)
		case r.Status == StatusPerson:
			why = m.why(o, r)
		}
		if why != "" {
			out = append(out, history.Violation{Invariant: "needless-person", Detail: fmt.Sprintf("run %s: %s", r.Run, why)})
		}
	}
	return out
}

// givenUp says why a proposal without an approval is with a person for no reason: the rule that approves in a search
// rejects none. A run that still waits is left behind where another has done its work.
func (m *needless) givenUp(o *Outcome, r history.Saved) string {
	final := func(other history.Saved) bool { return finalStatus(other.Status) }
	if len(r.Proposed) == 0 && !m.waits.has(r.Run) || !final(r) && slices.ContainsFunc(o.Runs, final) {
		return ""
	}
	return fmt.Sprintf("its proposal was never approved, and it is %s", r.Status)
}

func (m *needless) why(o *Outcome, r history.Saved) string {
	reason := false
	for _, op := range r.Operations {
		switch {
		case op.Status == history.OperationDone:
		case m.settled(op) && (m.refused.has(op.ID) || o.RuledOut[op.ID] || noRoom(o, r, op.ID)):
			reason = true
		case m.mute.has(op.ID):
			reason = true
		case madeByOther(o, r, op.ID):
			reason = true // another call could only have paid twice for one reason
		case op.Attempts == 0 && (op.Status == history.OperationFailed || op.Differs || !m.advanced):
			return fmt.Sprintf("operation %s went to a person before any call, and nothing outside speaks against it", op.ID)
		case op.Attempts < m.settings.MaxCalls && (m.settings.Lookup || m.settings.Keys && m.settings.SendsKey) && !m.differs(o, op):
			return fmt.Sprintf("operation %s went to a person after %d call(s), and asking could have settled it", op.ID, op.Attempts)
		default:
			reason = true
		}
	}
	if !reason && !m.disturbed {
		return "no fault was injected, nothing was refused, and a person was asked"
	}
	if !reason {
		return "every operation is done, and a person was asked"
	}
	return ""
}

// settled reports whether an operation is on record as not made. Where another process lived, what that may yet send
// keeps it unknown.
func (m *needless) settled(op history.Operation) bool {
	return op.Status == history.OperationFailed || m.beside && op.Status == history.OperationUnknown
}

// differs reports whether an operation is with a person because of its record, and the ledger bears that out: the record
// is there, and it is not the intent's, or not whole, or was taken back.
func (m *needless) differs(o *Outcome, op history.Operation) bool {
	if !op.Differs || m.lagged {
		return op.Differs
	}
	known := false
	for _, e := range o.Ledger {
		switch record, _, _ := strings.Cut(e.RecordID, ":"); {
		case e.Intent == op.ID && e.RecordID == op.RecordID && !e.Reversed:
			return false
		case op.RecordID != "" && record == op.RecordID && (e.Intent == op.ID || !ofAnyRun(o, e.Intent)):
			known = true
		}
	}
	return known
}

// ofAnyRun reports whether an intent was approved at all: its record is no other's.
func ofAnyRun(o *Outcome, intent string) bool {
	return slices.ContainsFunc(o.Runs, func(r history.Saved) bool { return hasIntent(r.Approved, intent) })
}

// noRoom reports whether what was paid back of the intent's subject leaves less than the intent would pay.
func noRoom(o *Outcome, r history.Saved, intent string) bool {
	for _, i := range r.Approved {
		if limit, ok := o.Captured[i.Subject]; ok && i.ID == intent {
			return o.paidBack(i.Subject)+i.AmountCents > limit
		}
	}
	return false
}

// madeByOther reports whether somebody else's refund of the same order for the same reason stands.
func madeByOther(o *Outcome, r history.Saved, intent string) bool {
	for _, i := range r.Approved {
		for _, e := range o.Ledger {
			if i.ID == intent && e.Intent != intent && e.AmountCents > 0 && !e.Reversed && e.Subject == i.Subject && e.Reason == i.Reason {
				return true
			}
		}
	}
	return false
}
