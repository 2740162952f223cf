package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// attempts: the calls for one intent are bounded, over all lives together.
//
// Counted as they leave the program, whatever key they carry. Not checked: questions, which cost nothing
// outside. Counters saturate one above the bound, so that states can close.
func newAttempts(s Settings) Monitor {
	return &attempts{most: s.MaxCalls, calls: map[string]int{}}
}

type attempts struct {
	most  int
	calls map[string]int
}

func (m *attempts) See(e *history.Event) {
	r := e.Request
	if r == nil || !r.Write || r.Intent == "" || e.Position != "before" || m.most == 0 {
		return
	}
	if m.calls[r.Intent] <= m.most {
		m.calls[r.Intent]++
	}
}

func (m *attempts) Copy() Monitor {
	c := *m
	c.calls = copyMap(m.calls)
	return &c
}

func (m *attempts) Key() string { return joinMap(m.calls) }

func (m *attempts) Judge(*Outcome) []history.Violation {
	var out []history.Violation
	for _, intent := range sortedKeys(m.calls) {
		if m.calls[intent] > m.most {
			out = append(out, history.Violation{Invariant: "attempts",
				Detail: fmt.Sprintf("operation %s was called more than %d times", intent, m.most)})
		}
	}
	return out
}
