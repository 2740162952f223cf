package explorer

import (
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
)

// tally counts plans: all of them, one fault per different state of a life, and those that end with a
// person; and the most model calls that any of them pays for.
type tally struct {
	plans, distinct, person, broken int64
	paid                            int
}

// place is a node with the faults that may still follow.
type place struct {
	n    *node
	left int
}

// count walks the finished graph: the plans covered are its paths. Memory and time follow the graph, not
// the plans.
func (s *search) count() {
	c := counter{memo: map[place]tally{}, open: map[place]bool{}, search: s}
	total := c.from(place{s.root, s.o.Crashes})
	s.result.PlansCovered, s.result.PlansDistinct, s.result.HandedToPerson = total.plans, total.distinct, total.person
	s.result.PlansViolating, s.result.ModelCallsMost = total.broken, total.paid
	s.result.Closed = s.result.Complete && !s.unseen
	for key := range s.beyond {
		if s.seen[key] == nil {
			s.result.Closed = false
		}
	}
}

type counter struct {
	*search
	memo map[place]tally
	open map[place]bool
}

// from counts the plans that go on from a place. A place that is met again while it is open lies on a
// circle of lives that end in an error and change nothing: such a program never ends.
func (c counter) from(p place) tally {
	if t, ok := c.memo[p]; ok {
		return t
	}
	if c.open[p] {
		c.judge(p.n.plan, &ending{broken: []history.Violation{check.NeverEnds("started again and again, it ends in the same error from the same state")}})
		return tally{plans: 1, distinct: 1, broken: 1} // the plan that injects nothing more
	}
	c.open[p] = true
	var t tally
	if p.n.end != nil {
		t.plans, t.distinct, t.paid = 1, 1, p.n.end.paid
		if p.n.end.person {
			t.person = 1
		}
		if len(p.n.end.broken) > 0 {
			t.broken = 1
		}
	}
	met := map[place]bool{}
	for _, e := range p.n.edges {
		if e.cost > p.left {
			continue
		}
		next := c.from(place{e.to, p.left - e.cost})
		t.plans, t.person = add(t.plans, next.plans), add(t.person, next.person)
		t.broken, t.paid = add(t.broken, next.broken), max(t.paid, e.paid+next.paid)
		to := place{e.to, e.cost}
		if !met[to] {
			met[to] = true
			t.distinct = add(t.distinct, next.distinct)
		}
	}
	delete(c.open, p)
	c.memo[p] = t
	return t
}
