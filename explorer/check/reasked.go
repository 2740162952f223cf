package check

import (
	"fmt"
	"maps"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// decision-reasked: a model decision whose step has been saved is never asked for again.
//
// A decision is one step of one run. Not checked: a decision that was paid for and died with the process
// before its step was saved, and one that another process saved while this one stood still: nobody can
// know of it. Nor is it asked whether every step is saved: a program that leaves saves out pays for its decisions
// again, and no monitor holds that against it. It shows in the most model calls that any plan pays for. Nor is what the
// record says of its usage, and which repeat of a recording a resumed run goes on with.
func newReasked(Settings) Monitor {
	return &reasked{saved: newTable[string, int](strings.Compare), meanwhile: map[processRun]int{}}
}

type reasked struct {
	saved table[string, int] // steps saved in earlier lives, by run
	// meanwhile holds the steps saved in this life, by the process that knows of them.
	meanwhile map[processRun]int
	broken    string
}

type processRun struct {
	process int
	run     string
}

func (m *reasked) sees(e *history.Event) bool {
	news := func(s *history.Saved) bool { return s.Step > m.meanwhile[processRun{e.Process, s.Run}] }
	return e.N == 1 || e.Loaded != nil && news(e.Loaded) || e.Decision != nil || isRecord(e) && news(e.Saved)
}

func (m *reasked) See(e *history.Event) {
	if e.N == 1 { // a new life: what was saved until now can be known to every process of it
		m.saved, m.meanwhile = m.all(), map[processRun]int{}
	}
	if e.Saved != nil && e.Position == "after" && e.Answer == history.Answered {
		m.learn(e.Process, e.Saved)
	}
	if e.Loaded != nil {
		m.learn(e.Process, e.Loaded)
	}
	if d := e.Decision; d != nil && e.Position == "before" && m.broken == "" &&
		d.Step <= max(m.saved.get(d.Run), m.meanwhile[processRun{e.Process, d.Run}]) {
		m.broken = fmt.Sprintf("step %d of run %s is saved, and was asked for again", d.Step, d.Run)
	}
}

func (m *reasked) learn(process int, s *history.Saved) {
	p := processRun{process, s.Run}
	if s.Step > m.meanwhile[p] {
		m.meanwhile[p] = s.Step
	}
}

func (m *reasked) all() table[string, int] {
	all := m.saved
	for p, step := range m.meanwhile {
		all.set(p.run, max(all.get(p.run), step))
	}
	return all
}

func (m *reasked) Copy() Monitor {
	return &reasked{m.saved, maps.Clone(m.meanwhile), m.broken}
}

// Key is asked for between two lives only.
func (m *reasked) Key() string {
	all := m.all()
	return m.broken + "|" + all.key()
}

func (m *reasked) Judge(*Outcome) []history.Violation { return one("decision-reasked", m.broken) }
