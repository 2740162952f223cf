package check

import (
	"slices"
	"sort"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// Set is one monitor per invariant, carried along a path.
type Set struct {
	monitors []Monitor
}

// NewSet returns fresh monitors for a program and its service. With Settings.Only, only those named.
func NewSet(s Settings) Set {
	var out Set
	for _, i := range All() {
		if len(s.Only) == 0 || slices.Contains(s.Only, i.Name) {
			out.monitors = append(out.monitors, i.New(s))
		}
	}
	return out
}

// See tells every monitor of the events, in order.
func (s Set) See(events []history.Event) {
	for i := range events {
		for _, m := range s.monitors {
			m.See(&events[i])
		}
	}
}

// Copy returns an independent set in the same state.
func (s Set) Copy() Set {
	c := Set{monitors: make([]Monitor, len(s.monitors))}
	for i, m := range s.monitors {
		c.monitors[i] = m.Copy()
	}
	return c
}

// Key returns the canonical state of all monitors.
func (s Set) Key() string {
	var b strings.Builder
	for _, m := range s.monitors {
		b.WriteString(m.Key())
		b.WriteByte('\n')
	}
	return b.String()
}

// Judge returns what is broken, in the order of All.
func (s Set) Judge(o *Outcome) []history.Violation {
	var out []history.Violation
	for _, m := range s.monitors {
		out = append(out, m.Judge(o)...)
	}
	return append(out, o.Broken...)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
