package check

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// status-back: a final status never moves back, neither a run's nor an operation's recorded as done.
//
// Watched at every save that was answered. Not checked: moves between statuses that are not final.
func newStatusBack(Settings) Monitor {
	return &statusBack{final: newTable[runPart, string](runPart.compare)}
}

type statusBack struct {
	final  table[runPart, string]
	broken string
	// noted is the latest record that note was told of: what it says and a later one repeats is no news.
	noted *history.Saved
}

// runPart is a run, or one operation of it.
type runPart struct{ run, operation string }

func (p runPart) compare(o runPart) int {
	return cmp.Or(strings.Compare(p.operation, o.operation), strings.Compare(p.run, o.run))
}

func (p runPart) String() string { return strings.TrimSuffix(p.run+"/"+p.operation, "/") }

func (m *statusBack) sees(e *history.Event) bool {
	if !isRecord(e) || m.broken != "" {
		return false
	}
	r := e.Saved
	return m.matters(runPart{run: r.Run}, r.Status, finalStatus(r.Status)) || anyNews(r, m.noted, func(op *history.Operation) bool {
		return m.matters(runPart{r.Run, op.ID}, op.Status, op.Status == history.OperationDone)
	})
}

// matters reports whether note would change anything.
func (m *statusBack) matters(part runPart, status string, isFinal bool) bool {
	earlier, ok := m.final.look(part)
	return ok && earlier != status || isFinal && !ok
}

func (m *statusBack) See(e *history.Event) {
	if e.Saved == nil || e.Position != "after" || e.Answer != history.Answered || m.broken != "" {
		return
	}
	m.noted = e.Saved
	m.note(runPart{run: e.Saved.Run}, e.Saved.Status, finalStatus(e.Saved.Status))
	for _, op := range e.Saved.Operations {
		m.note(runPart{e.Saved.Run, op.ID}, op.Status, op.Status == history.OperationDone)
	}
}

func (m *statusBack) note(part runPart, status string, isFinal bool) {
	if earlier, ok := m.final.look(part); ok && earlier != status {
		m.broken = fmt.Sprintf("%s was %s and is %s again", part, earlier, status)
	}
	if isFinal {
		m.final.set(part, status)
	}
}

func (m *statusBack) Copy() Monitor {
	c := *m
	return &c
}

func (m *statusBack) Key() string { return m.broken + "|" + m.final.key() }

func (m *statusBack) Judge(*Outcome) []history.Violation { return one("status-back", m.broken) }
