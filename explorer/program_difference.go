package explorer

import (
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/faults"
)

// keptElsewhere asks for what lets a run know of an earlier one.
const keptElsewhere = "does it keep anything outside Env.Dir, such as a database at a fixed path"

// whyDifferent says what may be the matter with two undisturbed runs that differ.
func whyDifferent(a, b Incarnation) string {
	if missing(a, b) == nil && missing(b, a) == nil {
		return "they pass the same points in another order: set AnyOrder to go on by occurrence"
	}
	return keptElsewhere + ", or go by chance or by the time?"
}

// difference returns the first point in which two runs differ, with AnyOrder only those that are missing.
func (s *tester) difference(a, b Incarnation) string {
	if s.p.AnyOrder {
		for _, pair := range [][2]Incarnation{{a, b}, {b, a}} {
			if p := missing(pair[0], pair[1]); p != nil {
				return fmt.Sprintf("%s was passed in one run only", *p)
			}
		}
		return ""
	}
	for i := range max(len(a.Points), len(b.Points)) {
		switch {
		case i >= len(a.Points):
			return fmt.Sprintf("only one passes a point %d, %s", i+1, b.Points[i].Point)
		case i >= len(b.Points):
			return fmt.Sprintf("only one passes a point %d, %s", i+1, a.Points[i].Point)
		case a.Points[i].Point != b.Points[i].Point:
			return fmt.Sprintf("point %d is %s in one and %s in the other", i+1, a.Points[i].Point, b.Points[i].Point)
		}
	}
	return ""
}

// missing returns the first point that one run passes and the other does not, nil if there is none.
func missing(a, b Incarnation) *faults.Point {
	for _, p := range a.Points {
		if !contains(b.Points, p.Point) {
			return &p.Point
		}
	}
	return nil
}

func contains(list []Passage, p faults.Point) bool {
	return slices.ContainsFunc(list, func(q Passage) bool { return q.Point == p })
}
