package baseline

import (
	"cmp"
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

// classOf returns the class of a violation that a search found.
//
// Errors: *faults.ParseError for a plan that is none.
func classOf(e history.Exploration, v history.Counterexample) (Class, error) {
	plan, err := faults.Parse(v.Plan)
	if err != nil {
		return Class{}, err
	}
	return Class{Scenario: e.Scenario, Strategy: e.Strategy, Provider: e.Provider, Point: lastPoint(plan), Invariant: v.Invariant}, nil
}

func lastPoint(plan faults.Plan) string {
	for i := len(plan) - 1; i >= 0; i-- {
		for j := len(plan[i]) - 1; j >= 0; j-- {
			e := plan[i][j]
			switch {
			case e.Verb == faults.Run:
			case e.Verb.AtPoint():
				point, _, _ := strings.Cut(e.Point.String(), "#")
				return point
			default:
				return e.String()
			}
		}
	}
	return string(faults.Run)
}
