package faults

import (
	"fmt"
	"slices"
	"sync"
)

// Trace records the points that are passed. Its Pass is an Options.Pass; the zero Trace is ready.
//
// Concurrency: safe.
type Trace struct {
	mu     sync.Mutex
	points []Point
}

// Pass records one point.
func (t *Trace) Pass(p Point) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.points = append(t.points, p)
}

// Points returns what was passed, in order.
func (t *Trace) Points() []Point {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.points)
}

// Survey runs an undisturbed life twice and returns the points it passes, in order: the points over which
// plans are drawn. The life must begin from the same state each time.
//
// Errors: the life's own; *OrderError when the two runs differ. Two runs that agree are no proof: points
// passed by goroutines beside each other may agree by luck, so points are best passed from one.
func Survey(life func(in *Injector) error) ([]Point, error) {
	var runs [2][]Point
	for i := range runs {
		var trace Trace
		if err := life(NewInjector(nil, Options{Pass: trace.Pass})); err != nil {
			return nil, fmt.Errorf("survey: run %d: %w", i+1, err)
		}
		runs[i] = trace.Points()
	}
	return runs[0], SameOrder(runs[0], runs[1])
}

// SameOrder returns nil when two runs passed the same points in the same order, else an *OrderError.
func SameOrder(first, second []Point) error {
	for i := range max(len(first), len(second)) {
		var a, b Point
		if i < len(first) {
			a = first[i]
		}
		if i < len(second) {
			b = second[i]
		}
		if a != b {
			return &OrderError{Index: i, First: a, Second: b}
		}
	}
	return nil
}

// OrderError is returned when two runs from one state passed different points: a plan would strike now
// here, now there. Index counts from 0; the zero Point stands for a run that had ended.
type OrderError struct {
	Index         int
	First, Second Point
}

func (e *OrderError) Error() string {
	return fmt.Sprintf("the order of points is not deterministic: as number %d one run passed %s and another %s; "+
		"points come from goroutines beside each other, a map's order, a clock or a random number",
		e.Index+1, e.name(e.First), e.name(e.Second))
}

func (*OrderError) name(p Point) string {
	if p == (Point{}) {
		return "none"
	}
	return p.String()
}
