package rapidplan

import (
	"time"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/planspace"
)

// Options say what plans hold. The zero value means up to 3 kills.
type Options struct {
	// MaxEvents bounds the events of a plan, 3 when 0.
	MaxEvents int
	// Verbs are what may strike, kills alone when empty. World and Resumers are left out: what they mean
	// is known to the program alone.
	Verbs []faults.Verb
	// Durations are the arguments of the verbs that take one, smallest first; 30s when empty.
	Durations []time.Duration
}

// Plans returns a generator of plans over points. Without points it draws the plan without lives.
//
// The points are those of an undisturbed life, and a plan may name one that a recovery doesn't pass: such
// an event never strikes, and shrinking takes it away.
func Plans(points []faults.Point, opts Options) *rapid.Generator[faults.Plan] {
	space := planspace.New(points, planspace.Options{Verbs: opts.Verbs, Durations: opts.Durations})
	if space.Len() == 0 {
		return rapid.Just(faults.Plan{})
	}
	indices := rapid.SliceOfN(rapid.IntRange(0, space.Len()-1), 0, orDefault(opts.MaxEvents, 3))
	return rapid.Map(indices, space.Plan)
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
