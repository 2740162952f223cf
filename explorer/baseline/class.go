package baseline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Class is a kind of violation.
type Class = history.ViolationClass

func compare(c, d Class) int {
	return cmp.Or(strings.Compare(c.Scenario, d.Scenario), strings.Compare(c.Strategy, d.Strategy), strings.Compare(c.Provider, d.Provider),
		strings.Compare(c.Point, d.Point), strings.Compare(c.Invariant, d.Invariant))
}

// classesOf returns the classes of the violations that a search found. A document of an earlier release holds
// the smallest plan of each invariant alone.
//
// Errors: *faults.ParseError for a plan that is none.
func classesOf(e history.Exploration) ([]Class, error) {
	var out []Class
	for _, c := range e.Classes {
		out = append(out, Class{Scenario: e.Scenario, Strategy: e.Strategy, Provider: e.Provider, Point: c.Point, Invariant: c.Invariant})
	}
	for _, v := range e.Violations {
		plan, err := faults.Parse(v.Plan)
		if err != nil {
			return nil, fmt.Errorf("plan %q: %w", v.Plan, err)
		}
		c := Class{Scenario: e.Scenario, Strategy: e.Strategy, Provider: e.Provider, Point: plan.LastPoint(), Invariant: v.Invariant}
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out, nil
}
