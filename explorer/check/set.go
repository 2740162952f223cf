package check

import (
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// Set is one monitor per invariant, carried along a path. Copies share the monitors until an event changes
// one of them, because most events change none, and a search copies a set at every point of every life.
//
// Concurrency: a set belongs to one goroutine; its copies may belong to others. Of a copy that nobody tells
// anything, several goroutines may take copies.
type Set struct {
	monitors []Monitor
	only     []string // Settings.Only
	kept     *kept
}

// kept is what a set knows of its monitors.
type kept struct {
	shared []bool   // others hold the monitor, too: it must not be changed in place
	keys   []string // by monitor, empty while not asked for
	whole  string   // the key of the set, empty while not asked for
}

// attentive is a Monitor that says beforehand whether an event changes something for it.
type attentive interface {
	sees(e *history.Event) bool
}

// NewSet returns fresh monitors for a program and its service. With Settings.Only, only those named.
func NewSet(s Settings) Set {
	out := Set{only: s.Only}
	for _, i := range All() {
		if out.judges(i.Name) {
			out.monitors = append(out.monitors, i.New(s))
		}
	}
	out.kept = &kept{shared: make([]bool, len(out.monitors)), keys: make([]string, len(out.monitors))}
	return out
}

// See tells every monitor of the events, in order, and reports whether any had to be told: if not, the
// set is in the state that it was in.
func (s Set) See(events []history.Event) (told bool) {
	for i := range events {
		for j := range s.monitors {
			told = s.tell(j, &events[i]) || told
		}
	}
	return told
}

func (s Set) tell(j int, e *history.Event) bool {
	if a, ok := s.monitors[j].(attentive); ok && !a.sees(e) {
		return false
	}
	if s.kept.shared[j] {
		s.monitors[j], s.kept.shared[j] = s.monitors[j].Copy(), false
	}
	s.monitors[j].See(e)
	s.kept.keys[j], s.kept.whole = "", ""
	return true
}

// Copy returns an independent set in the same state.
func (s Set) Copy() Set {
	if s.kept == nil {
		return s
	}
	s.nameAll() // once for both
	for j, shared := range s.kept.shared {
		if !shared {
			s.kept.shared[j] = true
		}
	}
	return Set{slices.Clone(s.monitors), s.only, &kept{slices.Clone(s.kept.shared), slices.Clone(s.kept.keys), s.kept.whole}}
}

// nameAll works out the keys of the monitors that changed, and returns how long all are together.
func (s Set) nameAll() int {
	length := 0
	for j, m := range s.monitors {
		if s.kept.keys[j] == "" {
			s.kept.keys[j] = m.Key() + "\n"
		}
		length += len(s.kept.keys[j])
	}
	return length
}

// Key returns the canonical state of all monitors.
func (s Set) Key() string {
	if s.kept == nil {
		return ""
	}
	if s.kept.whole == "" {
		var b strings.Builder
		b.Grow(s.nameAll())
		for _, key := range s.kept.keys {
			b.WriteString(key)
		}
		s.kept.whole = b.String()
	}
	return s.kept.whole
}

// Judge returns what is broken, in the order of All.
func (s Set) Judge(o *Outcome) []history.Violation {
	var out []history.Violation
	for _, m := range s.monitors {
		out = append(out, m.Judge(o)...)
	}
	if len(o.Broken) == 0 {
		return out
	}
	for _, v := range o.Broken {
		if s.judges(v.Invariant) {
			out = append(out, v)
		}
	}
	return InOrder(out)
}

// judges reports whether an invariant was asked for.
func (s Set) judges(name string) bool { return len(s.only) == 0 || slices.Contains(s.only, name) }
