package check

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// attempts: the calls for one intent are bounded, over all lives together.
//
// Counted as they leave the program, whatever key they carry. Once the intent is on record as done, its
// calls within the bound count as one: how many it took matters to nobody any more, and what is left of the
// count would keep states apart for ever. Not checked: questions, which cost nothing outside. Counters
// saturate one above the bound, so that states can close.
func newAttempts(s Settings) Monitor {
	return &attempts{most: s.MaxCalls, calls: newTable[string, int](strings.Compare)}
}

type attempts struct {
	most  int
	calls table[string, int]
}

func (m *attempts) sees(e *history.Event) bool {
	return m.most > 0 && (isCall(e) || isRecord(e) && anyOperation(e, func(op *history.Operation) bool {
		return op.Status == history.OperationDone && m.calls.get(op.ID) > 1
	}))
}

func (m *attempts) See(e *history.Event) {
	if m.most == 0 {
		return
	}
	if isCall(e) && m.calls.get(e.Request.Intent) <= m.most {
		m.calls.set(e.Request.Intent, m.calls.get(e.Request.Intent)+1)
	}
	if isRecord(e) {
		for _, op := range e.Saved.Operations {
			if n := m.calls.get(op.ID); op.Status == history.OperationDone && n > 1 && n <= m.most {
				m.calls.set(op.ID, 1)
			}
		}
	}
}

// isCall reports whether an event is a write on its way out.
func isCall(e *history.Event) bool {
	return e.Request != nil && e.Request.Write && e.Request.Intent != "" && e.Position == "before"
}

func anyOperation(e *history.Event, is func(*history.Operation) bool) bool {
	for i := range e.Saved.Operations {
		if is(&e.Saved.Operations[i]) {
			return true
		}
	}
	return false
}

// anyNews is anyOperation for what an earlier record of the run, if there is one, does not say as well.
func anyNews(r, earlier *history.Saved, is func(*history.Operation) bool) bool {
	for i := range r.Operations {
		op := &r.Operations[i]
		if earlier != nil && earlier.Run == r.Run && i < len(earlier.Operations) {
			if was := &earlier.Operations[i]; was.ID == op.ID && was.Status == op.Status {
				continue
			}
		}
		if is(op) {
			return true
		}
	}
	return false
}

// isRecord reports whether an event is a save that was answered.
func isRecord(e *history.Event) bool {
	return e.Saved != nil && e.Position == "after" && e.Answer == history.Answered
}

func (m *attempts) Copy() Monitor {
	c := *m
	return &c
}

func (m *attempts) Key() string { return m.calls.key() }

func (m *attempts) Judge(*Outcome) []history.Violation {
	var out []history.Violation
	for _, intent := range m.calls.held {
		if intent.value > m.most {
			out = append(out, history.Violation{Invariant: "attempts",
				Detail: fmt.Sprintf("operation %s was called more than %d times", intent.name, m.most)})
		}
	}
	return out
}
