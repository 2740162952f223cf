package explorer

import (
	"context"
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// growth is what the runs of one node found.
type growth struct {
	runs int
	// ran counts every run, also one that turned out to be another plan's; most bounds it, and cut says that
	// it did: what there is holds, and is not all.
	ran, most int
	cut       bool
	points    []faults.Point
	children  []successor
	end       *ending
	// unseen: states beyond the allowed faults were not looked at, so nothing is known of them.
	unseen bool
	keys   keys
}

// mayRun reports whether one more run is within the bound, and counts it.
func (g *growth) mayRun() bool {
	if g.ran >= g.most {
		g.cut = true
		return false
	}
	g.ran++
	return true
}

func (g *growth) add(c successor) { g.insert(len(g.children), c) }

func (g *growth) insert(at int, c successor) {
	c.key = g.keys.of(c.state, c.monitors)
	g.children = slices.Insert(g.children, at, c)
}

// successor is a state that one more life leads to.
type successor struct {
	life     faults.Life
	cost     int
	state    State
	monitors check.Set
	restarts int
	paid     int
	key      string
}

// grow lives the undisturbed life of a node, judges its end, and finds the states that one more fault
// leaves. Where faults beside the kill are allowed, each of them heads a life of its own: a run is then a
// state and the faults armed in this life, and points count only once the last of them has struck.
func (s *search) grow(ctx context.Context, n *node, most int) (*growth, error) {
	g := &growth{most: most}
	if at, ok := n.state.(atRest); ok {
		return g, s.judgeEnd(ctx, n.monitors, at, g)
	}
	heads := prologues(s.o.Faults, s.o.Crashes-n.faults)
	for len(heads) > 0 && g.mayRun() {
		head := heads[0]
		heads = heads[1:]
		if len(head) > 0 && s.told(ctx) {
			return nil, nil // What there is of it is not whole.
		}
		inc, err := s.guard.runChecked(ctx, s.w, n.state, n.plan, head, s.o.Once)
		if err != nil {
			return g, err
		}
		if len(inc.Unreached) > 0 && inc.Unreached[0].Verb == faults.Resumers {
			continue // Nobody came in, so it is another plan under a second name.
		}
		if len(inc.Unreached) > 0 {
			return g, &UnreachedError{Plan: append(append(faults.Plan{}, n.plan...), head), Event: inc.Unreached[0], Life: len(n.plan) + 1}
		}
		g.runs++
		more, err := s.follow(ctx, n, g, head, inc)
		if err != nil {
			return g, err
		}
		heads = append(heads, more...)
	}
	return g, nil
}

// follow enters the end of one life and the states that a kill at each of its points leaves, and returns
// the heads with one more fault.
func (s *search) follow(ctx context.Context, n *node, g *growth, head faults.Life, inc Incarnation) ([]faults.Life, error) {
	cost := len(head)
	if n == s.root && cost == 0 && inc.Endless != "" {
		return nil, fmt.Errorf("%w: %s", ErrUndisturbedEndless, inc.Endless)
	}
	if n == s.root && cost == 0 && inc.Life.Hung {
		return nil, ErrUndisturbedHangs
	}
	if n == s.root && cost == 0 {
		for _, p := range inc.Points {
			g.points = append(g.points, p.Point)
		}
	}
	w := watch{events: inc.Life.Events, monitors: n.monitors.Copy()}
	end := len(g.children)
	g.children = slices.Grow(g.children, len(inc.Points)+1)
	var heads []faults.Life
	for _, p := range inc.Points[afterHead(head, inc):] {
		if g.cut {
			break
		}
		life := append(append(faults.Life{}, head...), faults.KillAt(p.Point))
		if p.State != nil {
			w.to(p.Events)
			g.add(successor{life: life, cost: len(life), state: p.State, monitors: w.killed(), paid: w.paid})
		} else if err := s.enterKill(ctx, n, g, life); err != nil {
			return nil, err
		}
		if n.faults+cost >= s.o.Crashes {
			continue
		}
		for _, e := range s.o.Faults {
			if standsAt(e.Verb, p.Point) && s.w.Accepts(p.Point.Site, e.Verb) {
				e.Point = p.Point
				heads = append(heads, append(append(faults.Life{}, head...), e))
			}
		}
	}
	w.to(len(w.events))
	return heads, s.enterEnd(ctx, n, g, end, head, inc, w)
}

// watch is the monitors on their way through a life.
type watch struct {
	events   []history.Event
	monitors check.Set
	seen     int
	paid     int // model calls so far
	// dead is what the latest kill left of them, good until an event means something to one.
	dead check.Set
	good bool
}

// kill is what the monitors are shown of one.
var kill = []history.Event{{Injected: string(faults.Kill)}}

// to shows the monitors the life up to a number of events.
func (w *watch) to(n int) {
	if w.monitors.See(w.events[w.seen:n]) {
		w.good = false
	}
	w.paid += history.ModelCalls(w.events[w.seen:n])
	w.seen = n
}

// killed returns the monitors as a kill leaves them that strikes now. That its event is the one seen last
// makes no difference to any.
func (w *watch) killed() check.Set {
	if !w.good {
		m := w.monitors.Copy()
		if m.See(kill) {
			m = m.Copy() // of which several nodes may take copies at once
		}
		w.dead, w.good = m, true
	}
	return w.dead
}

// prologues returns the heads of lives that consist of events before the life starts: none, and every
// order of every choice of up to most of them.
func prologues(all []faults.Event, most int) []faults.Life {
	heads := []faults.Life{nil}
	for at := 0; at < len(heads); at++ {
		for _, e := range all {
			if len(heads[at]) < most && !e.Verb.AtPoint() && !slices.Contains(heads[at], e) {
				heads = append(heads, append(append(faults.Life{}, heads[at]...), e))
			}
		}
	}
	return heads
}

// standsAt reports whether an event of a verb may stand at a point.
func standsAt(v faults.Verb, p faults.Point) bool {
	return v.AtPoint() && (v.AnyPosition() || p.Position == faults.During)
}

// afterHead returns the index of the first point past the last fault of the head.
func afterHead(head faults.Life, inc Incarnation) int {
	if len(head) == 0 {
		return 0
	}
	if !head[len(head)-1].Verb.AtPoint() {
		for i, p := range inc.Points {
			if !p.Pending {
				return i
			}
		}
		return len(inc.Points)
	}
	last := head[len(head)-1].Point
	for i, p := range inc.Points {
		if p.Point == last {
			return i + 1
		}
	}
	return len(inc.Points)
}

// enterEnd judges a life that ended by itself, before the successors from a place on: those that its points
// have. One that ended in an error is started again: its state is a node that costs no fault.
func (s *search) enterEnd(ctx context.Context, n *node, g *growth, at int, head faults.Life, inc Incarnation, w watch) error {
	if inc.Life.Ended == history.Failed && inc.Endless == "" {
		restarts := n.restarts + 1
		if len(head) > 0 {
			restarts = 0
		}
		if restarts >= s.o.MaxLives {
			g.end = &ending{broken: []history.Violation{check.NeverEnds(fmt.Sprintf("started again %d times, and no end: %s", restarts, inc.Life.Error))}, paid: w.paid}
			return nil
		}
		g.insert(at, successor{life: head, cost: len(head), state: inc.Next, monitors: w.monitors, restarts: restarts, paid: w.paid})
		return nil
	}
	rest := atRest{inc.Next, inc.Life.Ended, inc.Endless}
	if len(head) > 0 {
		// The end after other faults is the end of a node of its own, so that it is counted and judged
		// once however many paths lead to it.
		g.insert(at, successor{life: head, cost: len(head), state: rest, monitors: w.monitors, paid: w.paid})
		return nil
	}
	err := s.judgeEnd(ctx, w.monitors, rest, g)
	if err == nil {
		g.end.paid = w.paid
	}
	return err
}

func (s *search) judgeEnd(ctx context.Context, m check.Set, at atRest, g *growth) error {
	o, err := s.w.Outcome(ctx, at.State)
	if err != nil {
		return err
	}
	g.end = &ending{person: at.end == history.Person, broken: m.Judge(o), effects: len(o.Ledger)}
	if at.endless != "" {
		g.end.broken = append(g.end.broken, check.NeverEnds(at.endless))
	}
	return nil
}

// enterKill finds the state that a kill leaves where a world takes no snapshots: by really killing the
// process.
func (s *search) enterKill(ctx context.Context, n *node, g *growth, life faults.Life) error {
	if n.faults+len(life) > s.o.Crashes {
		// Without a snapshot only a kill tells what it leaves, and this one is not allowed.
		g.unseen = true
		return nil
	}
	if !g.mayRun() {
		return nil
	}
	killed, err := s.guard.run(ctx, s.w, n.state, n.plan, life)
	if err != nil {
		return err
	}
	if len(killed.Unreached) > 0 {
		return &UnreachedError{Plan: append(append(faults.Plan{}, n.plan...), life), Event: killed.Unreached[0], Life: len(n.plan) + 1}
	}
	g.runs++
	m := n.monitors.Copy()
	m.See(killed.Life.Events)
	g.add(successor{life: life, cost: len(life), state: killed.Next, monitors: m, paid: history.ModelCalls(killed.Life.Events)})
	return nil
}
