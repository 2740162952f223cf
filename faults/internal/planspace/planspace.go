// Package planspace numbers everything that a plan could inject, so that a generator draws numbers and its
// shrinker, which makes numbers smaller and lists shorter, makes plans smaller. It imports only faults.
package planspace

import (
	"slices"
	"time"

	"github.com/paytwice/paytwice/faults"
)

// Options say what may be injected. The zero value means kills alone.
type Options struct {
	// Verbs are what may strike; kills alone when empty. World and Resumers need what only the caller
	// knows and are left out.
	Verbs []faults.Verb
	// Durations are the arguments of the verbs that take one, smallest first; 30s when empty.
	Durations []time.Duration
}

// Choice is one event and whether the life ends with it: a kill ends it always, after other events the
// life may go on to a further event or end by itself.
type Choice struct {
	Event faults.Event
	Ends  bool
}

// Space is every choice, the smallest first: earlier points before later ones, kills before other faults.
type Space struct{ choices []Choice }

// New returns the space over the points that an undisturbed life passes.
//
// A verb that stands at during only is offered once for each call, even where no wrapper passes during.
func New(points []faults.Point, opts Options) Space {
	verbs, durations := opts.Verbs, opts.Durations
	if len(verbs) == 0 {
		verbs = []faults.Verb{faults.Kill}
	}
	if len(durations) == 0 {
		durations = []time.Duration{30 * time.Second}
	}
	var s Space
	for _, p := range points {
		if slices.Contains(verbs, faults.Kill) {
			s.choices = append(s.choices, Choice{faults.KillAt(p), true})
		}
	}
	for _, ends := range []bool{false, true} {
		for _, v := range verbs {
			s.add(v, points, durations, ends)
		}
	}
	return s
}

func (s *Space) add(v faults.Verb, points []faults.Point, durations []time.Duration, ends bool) {
	switch {
	case v == faults.Kill || v == faults.Run || v == faults.World || v == faults.Resumers:
		return
	case !v.AtPoint():
		s.addArguments(faults.Event{Verb: v}, durations, ends)
		return
	}
	calls := map[faults.Point]bool{}
	for _, p := range points {
		if !v.AnyPosition() {
			p.Position = faults.During
		}
		if !calls[p] {
			calls[p] = true
			s.addArguments(faults.Event{Verb: v, Point: p}, durations, ends)
		}
	}
}

func (s *Space) addArguments(e faults.Event, durations []time.Duration, ends bool) {
	switch e.Verb {
	case faults.DeliverLate, faults.Lag, faults.Pause, faults.Advance:
		for _, e.Duration = range durations {
			s.choices = append(s.choices, Choice{e, ends})
		}
	default:
		s.choices = append(s.choices, Choice{e, ends})
	}
}

// Len returns how many choices there are.
func (s Space) Len() int { return len(s.choices) }

// Plan returns the plan of a list of indices, one event each, in order. An index past the end counts
// round; with no choices, or no indices, it is the plan without lives. An event that stands twice in one
// life is taken once.
func (s Space) Plan(indices []int) faults.Plan {
	plan := faults.Plan{}
	if len(s.choices) == 0 {
		return plan
	}
	open := false
	for _, i := range indices {
		n := len(s.choices)
		c := s.choices[((i%n)+n)%n]
		if !open {
			plan = append(plan, faults.Life{})
		}
		last := len(plan) - 1
		if !slices.Contains(plan[last], c.Event) {
			plan[last] = append(plan[last], c.Event)
		}
		open = !c.Ends
	}
	return plan
}

// Indices returns the smallest indices of a plan that Plan returned, and false for one it can't have.
func (s Space) Indices(plan faults.Plan) ([]int, bool) {
	out := []int{}
	for i, life := range plan {
		for j, e := range life {
			ends := j == len(life)-1 && i < len(plan)-1
			k := slices.IndexFunc(s.choices, func(c Choice) bool {
				return c.Event == e && (c.Ends == ends || e.Verb == faults.Kill)
			})
			if k < 0 {
				return nil, false
			}
			out = append(out, k)
		}
	}
	return out, true
}
