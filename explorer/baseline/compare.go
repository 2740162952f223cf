package baseline

import (
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
)

// Compare holds searches against a baseline.
//
// Errors: a plan that does not parse.
func (b Baseline) Compare(runs []history.Exploration) (history.Ratchet, error) {
	_, d, err := b.after(runs)
	return d, err
}

// Update returns the baseline after searches: what they found is in it, what is gone is not, and what they
// did not look at to the end stays.
//
// Errors: a plan that does not parse.
func (b Baseline) Update(runs []history.Exploration) (Baseline, error) {
	next, _, err := b.after(runs)
	return next, err
}

func (b Baseline) after(runs []history.Exploration) (Baseline, history.Ratchet, error) {
	d := history.Ratchet{New: []Class{}, Known: []Class{}, Gone: []Class{}, Open: []Class{}}
	found := map[Class][]Search{}
	for _, e := range runs {
		classes, err := classesOf(e)
		if err != nil {
			return b, d, err
		}
		for _, c := range classes {
			found[c] = append(found[c], searchOf(e))
		}
	}
	var next Baseline
	for _, old := range b.Classes {
		seen := slices.DeleteFunc(slices.Clone(old.SeenBy), func(s Search) bool { return searched(runs, old.Class, s) })
		now, again := found[old.Class]
		switch {
		case again:
			d.Known = append(d.Known, old.Class)
			seen = append(seen, now...)
		case len(seen) == 0:
			d.Gone = append(d.Gone, old.Class)
			continue
		default:
			d.Open = append(d.Open, old.Class)
		}
		next.Classes = append(next.Classes, Known{old.Class, seen})
		delete(found, old.Class)
	}
	for c, seen := range found {
		d.New = append(d.New, c)
		next.Classes = append(next.Classes, Known{c, seen})
	}
	slices.SortFunc(d.New, compare)
	next.normalise()
	return next, d, nil
}

// searched reports whether a search that saw a class was made again, to its end.
func searched(runs []history.Exploration, c Class, s Search) bool {
	return slices.ContainsFunc(runs, func(e history.Exploration) bool {
		return e.Scenario == c.Scenario && e.Strategy == c.Strategy && e.Provider == c.Provider && decided(e) && searchOf(e).covers(s)
	})
}
