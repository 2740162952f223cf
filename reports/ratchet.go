package reports

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// ratchetLine counts what a run did to its baseline.
func ratchetLine(r history.Ratchet) string {
	return fmt.Sprintf("baseline: %d new, %d known, %d gone, %d not searched", len(r.New), len(r.Known), len(r.Gone), len(r.Open))
}

// ratchetClasses names the classes that changed, or of which nothing is known, a line each.
func ratchetClasses(r history.Ratchet) []string {
	var out []string
	for _, part := range []struct {
		word    string
		classes []history.ViolationClass
	}{{"new", r.New}, {"gone", r.Gone}, {"not searched", r.Open}} {
		for _, c := range part.classes {
			out = append(out, part.word+": "+c.String())
		}
	}
	return out
}

// ratchetText is what a terminal is told of a baseline.
func ratchetText(r *history.Ratchet) string {
	if r == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n", ratchetLine(*r))
	for _, c := range ratchetClasses(*r) {
		fmt.Fprintf(&b, "  %s\n", c)
	}
	return b.String()
}

func ratchetBlock(r *history.Ratchet) block {
	if r == nil {
		return block{}
	}
	b := block{head: "\n" + ratchetLine(*r) + "\n\n"}
	for _, c := range ratchetClasses(*r) {
		b.rows = append(b.rows, row{"- " + cell(c), true})
	}
	return b
}

// fresh returns the violations of a search that a baseline does not know: all of them without one.
func fresh(r *history.Ratchet, e history.Exploration) []history.Counterexample {
	if r == nil {
		return e.Violations
	}
	var out []history.Counterexample
	for _, v := range e.Violations {
		if isNew(*r, e, v.Invariant) {
			out = append(out, v)
		}
	}
	return out
}

// isNew reports whether a search may be one of those with a new class: its point is left to the baseline.
func isNew(r history.Ratchet, e history.Exploration, invariant string) bool {
	for _, c := range r.New {
		if c.Scenario == e.Scenario && c.Strategy == e.Strategy && c.Provider == e.Provider && c.Invariant == invariant {
			return true
		}
	}
	return false
}
