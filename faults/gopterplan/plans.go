package gopterplan

import (
	"slices"
	"time"

	"github.com/leanovate/gopter"

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

func (o Options) space(points []faults.Point) planspace.Space {
	return planspace.New(points, planspace.Options{Verbs: o.Verbs, Durations: o.Durations})
}

// maxIndex is the largest number drawn where the points are not known yet.
const maxIndex = 1 << 16

// Indices generates []int, one number for each event of a plan, for points that depend on what else a
// property draws. They shrink to fewer and smaller numbers, none being the smallest.
func Indices(opts Options) gopter.Gen { return indices(maxIndex, opts) }

// Plan returns the plan of numbers over the points of an undisturbed life, which faults.Survey finds. A
// number past the last choice counts round.
func Plan(points []faults.Point, indices []int, opts Options) faults.Plan {
	return opts.space(points).Plan(indices)
}

// Plans generates faults.Plan over points. They shrink to fewer events at earlier points.
func Plans(points []faults.Point, opts Options) gopter.Gen {
	space := opts.space(points)
	draw := indices(max(space.Len(), 1), opts)
	return func(params *gopter.GenParameters) *gopter.GenResult {
		drawn, _ := draw(params).Retrieve()
		return gopter.NewGenResult(space.Plan(drawn.([]int)), func(v interface{}) gopter.Shrink {
			numbers, _ := space.Indices(v.(faults.Plan))
			return shrinkIndices(numbers).Map(space.Plan)
		})
	}
}

func indices(n int, opts Options) gopter.Gen {
	most := opts.MaxEvents
	if most == 0 {
		most = 3
	}
	return func(params *gopter.GenParameters) *gopter.GenResult {
		drawn := make([]int, params.Rng.Intn(most+1))
		for i := range drawn {
			drawn[i] = params.Rng.Intn(n)
		}
		return gopter.NewGenResult(drawn, func(v interface{}) gopter.Shrink { return shrinkIndices(v.([]int)) })
	}
}

// shrinkIndices tries, in this order, each list without one number, and each with one number smaller.
// gopter's own for slices never takes the last element away.
func shrinkIndices(from []int) gopter.Shrink {
	var tries [][]int
	for i := range from {
		tries = append(tries, slices.Delete(slices.Clone(from), i, i+1))
	}
	for i, n := range from {
		for _, smaller := range below(n) {
			try := slices.Clone(from)
			try[i] = smaller
			tries = append(tries, try)
		}
	}
	return func() (interface{}, bool) {
		if len(tries) == 0 {
			return nil, false
		}
		next := tries[0]
		tries = tries[1:]
		return next, true
	}
}

// below returns smaller numbers to try: the smallest few, then those that come closer and closer.
func below(n int) (out []int) {
	for i := range min(n, 16) {
		out = append(out, i)
	}
	for step := n / 2; step > 0; step /= 2 {
		if n-step >= 16 {
			out = append(out, n-step)
		}
	}
	return out
}
