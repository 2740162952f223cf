package explorer

import (
	"math"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Result is what a search found.
type Result struct {
	// Points are the points of the undisturbed run, in order.
	Points []faults.Point
	// PlansCovered counts the plans whose verdict the search decided; PlansDistinct counts one kill per
	// different state of a life. Both saturate at the largest int64.
	PlansCovered  int64
	PlansDistinct int64
	// PlansViolating counts the covered plans that break an invariant.
	PlansViolating int64
	// HandedToPerson counts the covered plans that end with a person.
	HandedToPerson int64
	// ModelCalls counts those that the undisturbed run pays for, ModelCallsMost those of the covered plan that
	// pays most.
	ModelCalls, ModelCallsMost int
	// Runs counts the incarnations, without the second run of each; States the merged states.
	Runs   int
	States int
	// Closed: no further kill reaches a state that was not seen, so the verdict holds for any number of
	// kills. It says nothing of more faults of other kinds.
	Closed bool
	// Complete: no bound was reached. LeftOut says what was not searched otherwise.
	Complete bool
	LeftOut  string
	// Unreached are planned events that did not strike. A search plans only what it has seen, so any
	// is the harness's fault.
	Unreached []string
	// Found holds the smallest plan of each class of violation, in the order of check.Names; names
	// that a world's own judge gives come after them.
	Found []Counterexample
	// Classes holds the smallest plan of each invariant and point, sorted.
	Classes []Class
}

// Counterexample is the smallest plan that breaks an invariant.
type Counterexample struct {
	history.Violation
	Plan    faults.Plan
	Effects int
}

// Verdict returns what the result amounts to.
func (r Result) Verdict() history.Verdict {
	switch {
	case len(r.Found) > 0:
		return history.Violated
	case !r.Complete:
		return history.Undecided
	default:
		return history.Pass
	}
}

// saturating addition and multiplication, for counts of plans.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
