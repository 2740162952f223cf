package explorer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/faults"
)

// Explore searches every plan of up to Options.Crashes faults, breadth first, and merges states that have
// the same future: each node is run once undisturbed, and every point it passes leads to the state that a
// kill there leaves.
//
// Why boundaries are enough: between two effects the durable state does not change, so all kills between
// them leave the same state.
//
// Errors: those of the World, ErrNotDeterministic, *StuckError, *GoneError, *PanicError. A bound that is
// reached is no error: the result says what was left out.
// Determinism: the same world and options give the same result, whatever the number of workers.
func Explore(ctx context.Context, w World, o Options) (Result, error) {
	s := &search{w: w, o: o.withDefaults(), guard: newGuard(o.Timeout), seen: map[string]*node{}, buckets: make([][]*node, o.Crashes+1),
		beyond: map[string]bool{}, best: map[string]Counterexample{}}
	s.result.Complete = true
	if f, ok := w.(Foresighted); ok {
		f.Foresee(s.o.Faults)
	}
	start, err := w.Start(ctx)
	if err != nil {
		return s.result, err
	}
	r, gone, err := watched(s.guard, func() bool { return s.told(ctx) }, func() (Result, error) { return s.run(ctx, start) })
	if gone && err == nil {
		return s.leave(ctx), nil
	}
	return r, err
}

// run searches from the start to the end, or to a bound.
func (s *search) run(ctx context.Context, start State) (Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return s.result, errLeft
	}
	monitors := check.NewSet(s.o.Settings)
	s.root = s.intern(successor{state: start, monitors: monitors, key: new(keys).of(start, monitors)}, nil, 0)
	s.root.plan = nil // No life leads to the start.
	if err := s.levels(ctx); err != nil {
		return s.result, err
	}
	return s.whole(), nil
}

// told reports that the search was told to end before it comes to its own.
func (s *search) told(ctx context.Context) bool {
	return ctx.Err() != nil || s.o.Over != nil && s.o.Over()
}

// whole counts and judges what was searched.
func (s *search) whole() Result {
	if !s.over && s.root != nil {
		s.count()
		s.result.States = len(s.seen)
		s.result.Found = s.found()
		s.result.Classes = s.classes()
	}
	s.over = true
	return s.result
}

// leave ends a search whose latest wave does not come back: that wave is left out.
func (s *search) leave(ctx context.Context) Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over && s.bounded(ctx) {
		s.result.LeftOut += "; a life under way has not come back"
	}
	return s.whole()
}

// errLeft ends a search that was left behind.
var errLeft = errors.New("the search was left behind")

type search struct {
	w     World
	o     Options
	guard guard
	// mu is held but while a wave is run: a search that waits for one can be left. over says that it was, or
	// that it came to its end.
	mu   sync.Mutex
	over bool
	seen map[string]*node
	// buckets holds the nodes by the faults of their plan; a bucket is finished before the next begins,
	// so a node is expanded with the fewest faults that reach it.
	buckets [][]*node
	// beyond holds the states that one fault more than allowed reaches.
	beyond map[string]bool
	unseen bool
	// ran counts the runs, need is the most that a node took, retry says that one has to be run again.
	ran, need int
	retry     bool
	// cut: the bound struck within a node, which is searched in part.
	cut    bool
	best   map[string]Counterexample
	root   *node
	result Result
}

// intern returns the node of a state that one more life leads to, a new one if it was not seen. A node waiting with more faults moves
// forward to the fewer.
func (s *search) intern(c successor, before faults.Plan, cost int) *node {
	n, ok := s.seen[c.key]
	if !ok {
		n = &node{state: c.state, monitors: c.monitors, key: c.key}
		s.seen[c.key] = n
	} else if n.expanded || n.faults <= cost {
		return n
	}
	n.plan, n.faults, n.restarts = append(slices.Clip(before), c.life), cost, c.restarts
	s.buckets[cost] = append(s.buckets[cost], n)
	return n
}

// levels expands the nodes bucket by bucket, in waves: the nodes of a wave are run in parallel and their
// children interned in order.
func (s *search) levels(ctx context.Context) error {
	for cost := range s.buckets {
		for from := 0; from < len(s.buckets[cost]); {
			if s.bounded(ctx) {
				return nil
			}
			start := from
			wave, next := s.wave(cost, from)
			most := s.left() / max(len(wave), 1)
			grown, err := s.unlocked(func() ([]*growth, error) { return s.growAll(ctx, wave, most) })
			if s.over {
				return errLeft
			}
			if err != nil {
				return err
			}
			for i, g := range grown {
				if g != nil && !s.again(g, len(wave)) {
					s.adopt(wave[i], g)
				}
			}
			if from = next; s.retry {
				from, s.retry = start, false
			}
			s.progress(cost)
		}
	}
	s.bounded(ctx) // A budget may have run out within the very last wave.
	return nil
}

// unlocked runs a wave, during which the search can be left. It is locked again however the wave ends.
func (s *search) unlocked(wave func() ([]*growth, error)) ([]*growth, error) {
	s.mu.Unlock()
	defer s.mu.Lock()
	return wave()
}

// left returns how many runs the bound still allows.
func (s *search) left() int { return s.o.MaxRuns - s.ran }

// again counts a node's runs, and reports whether it has to be run again because its share of a wave's was not
// enough: alone it has all that are left.
func (s *search) again(g *growth, wave int) bool {
	s.ran += g.ran
	s.need = max(s.need, g.ran)
	if !g.cut || wave == 1 {
		return false
	}
	s.result.Runs += g.runs
	s.retry = true
	return true
}

// mostInWave bounds the nodes that are run before their successors are entered, and with it the memory:
// a node has a successor for each point of its life. Where few runs are left, fewer nodes share them, so that no
// more are made than the bound says: how many depends on no worker.
const mostInWave = 16

// wave returns the next nodes of a bucket that still wait there, and where to go on.
func (s *search) wave(cost, from int) (wave []*node, next int) {
	size := min(max(s.left()/(3*max(s.need, 1)), 1), mostInWave)
	for next = from; next < len(s.buckets[cost]) && len(wave) < size; next++ {
		if n := s.buckets[cost][next]; !n.expanded && n.faults == cost {
			wave = append(wave, n)
		}
	}
	return wave, next
}

func (s *search) growAll(ctx context.Context, wave []*node, most int) ([]*growth, error) {
	grown := make([]*growth, len(wave))
	err := InParallel(len(wave), s.o.Workers, func(i int) error {
		if s.told(ctx) {
			return nil
		}
		g, err := safely(func() (*growth, error) { return s.grow(ctx, wave[i], most) })
		var panicked *PanicError
		switch {
		case errors.As(err, &panicked):
			return ofPlan(panicked, wave[i].plan)
		case ctx.Err() != nil:
			return nil // Interrupted in the middle: what it found is not whole.
		case err != nil:
			return fmt.Errorf("plan %q: %w", wave[i].plan, err)
		}
		grown[i] = g
		return nil
	})
	return grown, err
}

func (s *search) progress(cost int) {
	if s.o.Progress == nil {
		return
	}
	waiting := 0
	for _, b := range s.buckets[cost:] {
		for _, n := range b {
			if !n.expanded {
				waiting++
			}
		}
	}
	s.o.Progress(Progress{Crashes: cost, Runs: s.result.Runs, States: len(s.seen), Queued: waiting})
}

// bounded reports whether a bound is reached, and says what is left out.
func (s *search) bounded(ctx context.Context) bool {
	why := ""
	switch {
	case ctx.Err() != nil:
		why = "the search was interrupted"
	case s.ran >= s.o.MaxRuns:
		why = fmt.Sprintf("the bound of %d incarnations was reached", s.o.MaxRuns)
	case len(s.seen) >= s.o.MaxStates:
		why = fmt.Sprintf("the bound of %d states was reached", s.o.MaxStates)
	case s.o.Over != nil && s.o.Over():
		why = fmt.Sprintf("the budget of %s was reached", s.o.Budget)
	default:
		return false
	}
	left := 0
	for _, n := range s.seen {
		if !n.expanded || n.cut {
			left++
		}
	}
	if left == 0 {
		return false
	}
	part := ""
	if s.cut {
		part = ", one of them in part"
	}
	s.result.Complete = false
	s.result.LeftOut = fmt.Sprintf("%s: %d of %d states found were not searched%s", why, left, len(s.seen), part)
	return true
}

// adopt enters what one node's runs found into the graph.
func (s *search) adopt(n *node, g *growth) {
	n.expanded, n.cut = true, g.cut
	s.cut = s.cut || g.cut
	n.state, n.monitors = nil, check.Set{} // Its key stands for it from here on.
	s.result.Runs += g.runs
	if n == s.root {
		s.result.Points = g.points
		if g.end != nil {
			s.result.ModelCalls = g.end.paid
		}
	}
	if g.end != nil {
		n.end = g.end
		s.judge(n.plan, g.end)
	}
	s.unseen = s.unseen || g.unseen
	n.edges = slices.Grow(n.edges, len(g.children))
	for _, c := range g.children {
		total := n.faults + c.cost
		if total > s.o.Crashes {
			s.beyond[c.key] = true
			continue
		}
		n.edges = append(n.edges, edge{s.intern(c, n.plan, total), c.cost, c.paid, c.life})
	}
}

// judge keeps the smallest plan of each class of violation. Nodes come breadth first and points in order,
// so the first plan of a class is the smallest.
func (s *search) judge(plan faults.Plan, end *ending) {
	for _, v := range end.broken {
		old, ok := s.best[v.Invariant]
		if ok && old.Plan.Faults() <= plan.Faults() {
			continue
		}
		s.best[v.Invariant] = Counterexample{Violation: v, Plan: trimmed(plan), Effects: end.effects}
	}
}

// trimmed leaves out the undisturbed lives at the end of a plan: they come by themselves.
func trimmed(plan faults.Plan) faults.Plan {
	n := len(plan)
	for n > 0 && len(plan[n-1]) == 0 {
		n--
	}
	return plan[:n:n]
}

func (s *search) found() []Counterexample {
	var out []Counterexample
	names := check.Names()
	for _, name := range names {
		if c, ok := s.best[name]; ok {
			out = append(out, c)
		}
	}
	// A judge of somebody else's has names of its own.
	for _, name := range slices.Sorted(maps.Keys(s.best)) {
		if !slices.Contains(names, name) {
			out = append(out, s.best[name])
		}
	}
	return out
}
