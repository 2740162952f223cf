package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// status-back: a final status never moves back, neither a run's nor an operation's recorded as done.
//
// Watched at every save that was answered. Not checked: moves between statuses that are not final.
func newStatusBack(Settings) Monitor {
	return &statusBack{final: map[string]string{}}
}

type statusBack struct {
	final  map[string]string // by run, or run and operation
	broken string
}

func (m *statusBack) sees(e *history.Event) bool {
	if !isRecord(e) || m.broken != "" {
		return false
	}
	r := e.Saved
	return m.matters(r.Run, r.Status, finalStatus(r.Status)) || anyOperation(e, func(op *history.Operation) bool {
		return m.matters(r.Run+"/"+op.ID, op.Status, op.Status == history.OperationDone)
	})
}

// matters reports whether note would change anything.
func (m *statusBack) matters(name, status string, isFinal bool) bool {
	earlier, ok := m.final[name]
	return ok && earlier != status || isFinal && !ok
}

func (m *statusBack) See(e *history.Event) {
	if e.Saved == nil || e.Position != "after" || e.Answer != history.Answered || m.broken != "" {
		return
	}
	m.note(e.Saved.Run, e.Saved.Status, finalStatus(e.Saved.Status))
	for _, op := range e.Saved.Operations {
		m.note(e.Saved.Run+"/"+op.ID, op.Status, op.Status == history.OperationDone)
	}
}

func (m *statusBack) note(name, status string, isFinal bool) {
	if earlier, ok := m.final[name]; ok && earlier != status {
		m.broken = fmt.Sprintf("%s was %s and is %s again", name, earlier, status)
	}
	if isFinal {
		m.final[name] = status
	}
}

func (m *statusBack) Copy() Monitor {
	c := *m
	c.final = copyMap(m.final)
	return &c
}

func (m *statusBack) Key() string { return m.broken + "|" + joinMap(m.final) }

func (m *statusBack) Judge(*Outcome) []history.Violation { return one("status-back", m.broken) }
