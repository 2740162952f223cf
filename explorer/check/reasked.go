package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// decision-reasked: a model decision whose step has been saved is never asked for again.
//
// A decision is one step of one run. Not checked: a decision that was paid for and died with the process
// before its step was saved; nobody can know of it.
func newReasked(Settings) Monitor { return &reasked{saved: map[string]int{}} }

type reasked struct {
	saved  map[string]int // steps saved, by run
	broken string
}

func (m *reasked) See(e *history.Event) {
	if e.Saved != nil && e.Position == "after" && e.Answer == history.Answered && e.Saved.Step > m.saved[e.Saved.Run] {
		m.saved[e.Saved.Run] = e.Saved.Step
	}
	if e.Decision != nil && e.Position == "before" && e.Decision.Step <= m.saved[e.Decision.Run] && m.broken == "" {
		m.broken = fmt.Sprintf("step %d of run %s is saved, and was asked for again", e.Decision.Step, e.Decision.Run)
	}
}

func (m *reasked) Copy() Monitor {
	c := *m
	c.saved = copyMap(m.saved)
	return &c
}

func (m *reasked) Key() string { return m.broken + "|" + joinMap(m.saved) }

func (m *reasked) Judge(*Outcome) []history.Violation { return one("decision-reasked", m.broken) }
