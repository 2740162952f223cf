package explorer

import (
	"cmp"
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Class is an invariant and the place of the last fault that breaks it, with the smallest such plan. Kills at
// several points leave one state, and mending one of them leaves the others.
type Class struct {
	Invariant string
	// Point is faults.Plan.LastPoint of the plan.
	Point string
	Plan  faults.Plan
}

// classes looks at every fault that leads to a node that ends badly: the first plan of a node alone would hide
// the other points that lead there. A fault after which nothing more is broken than without it adds no class.
func (s *search) classes() []Class {
	found := map[[2]string]faults.Plan{}
	see := func(plan faults.Plan, before, end *ending) {
		for _, v := range end.broken {
			if before != nil && breaks(before, v.Invariant) {
				continue
			}
			key := [2]string{v.Invariant, plan.LastPoint()}
			if old, ok := found[key]; !ok || plan.Faults() < old.Faults() {
				found[key] = trimmed(plan)
			}
		}
	}
	if s.root.end != nil {
		see(nil, nil, s.root.end)
	}
	for _, bucket := range s.buckets {
		for _, n := range bucket {
			for _, e := range n.edges {
				if e.to.end != nil && len(e.to.end.broken) > 0 {
					see(append(slices.Clip(n.plan), e.life), n.end, e.to.end)
				}
			}
		}
	}
	for _, c := range s.best { // a circle of lives has no end of its own
		if key := [2]string{c.Invariant, c.Plan.LastPoint()}; found[key] == nil {
			found[key] = c.Plan
		}
	}
	return sorted(found)
}

func breaks(e *ending, invariant string) bool {
	return slices.ContainsFunc(e.broken, func(v history.Violation) bool { return v.Invariant == invariant })
}

func sorted(found map[[2]string]faults.Plan) []Class {
	var out []Class
	for key, plan := range found {
		out = append(out, Class{key[0], key[1], plan})
	}
	slices.SortFunc(out, func(a, b Class) int {
		return cmp.Or(cmp.Compare(a.Invariant, b.Invariant), cmp.Compare(a.Point, b.Point))
	})
	return out
}
