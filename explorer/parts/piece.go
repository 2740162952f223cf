package parts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
)

// Piece is one case with what a document holds of it: the cells of a matrix, or a search.
type Piece[T any] struct {
	history.Case
	Items []T
}

// key tells the cases of a run apart.
type key struct{ setting, plan int }

func (p Piece[T]) key() key { return key{p.Setting, p.Plan} }

// split deals a document's items out to its cases.
//
// Errors: the cases are not those of the items.
func split[T any](items []T, p *history.Part) ([]Piece[T], error) {
	out := make([]Piece[T], 0, len(p.Cases))
	for _, c := range p.Cases {
		if c.Setting < 0 || c.Setting >= p.Settings || c.Plans < 0 || c.Plans > maxPlans || c.Plan < 0 || c.Plan >= max(c.Plans, 1) || c.Items < 0 || c.Items > len(items) || c.Plans == 0 && c.Items > 0 {
			return nil, fmt.Errorf("case %d.%d is no case of %d settings with %d items more", c.Setting, c.Plan, p.Settings, len(items))
		}
		out = append(out, Piece[T]{c, items[:c.Items:c.Items]})
		items = items[c.Items:]
	}
	if len(items) > 0 {
		return nil, fmt.Errorf("%d items are no case's", len(items))
	}
	return out, nil
}

// Join puts pieces in the order of the run and returns their items, their cases and their notes.
func Join[T any](pieces []Piece[T]) (items []T, cases []history.Case, notes []string) {
	pieces = slices.Clone(pieces)
	slices.SortStableFunc(pieces, func(a, b Piece[T]) int {
		return cmp.Or(cmp.Compare(a.Setting, b.Setting), cmp.Compare(a.Plan, b.Plan))
	})
	items, cases = []T{}, []history.Case{}
	for _, p := range pieces {
		items = append(items, p.Items...)
		cases = append(cases, p.Case)
		notes = append(notes, p.Notes...)
	}
	return items, cases, notes
}

// finished returns the pieces that are whole.
func finished[T any](pieces []Piece[T]) []Piece[T] {
	return slices.DeleteFunc(slices.Clone(pieces), func(p Piece[T]) bool { return p.Unfinished })
}

// twice returns the first case that is there a second time.
func twice[T any](pieces []Piece[T]) (history.Case, bool) {
	seen := map[key]bool{}
	for _, p := range pieces {
		if seen[p.key()] {
			return p.Case, true
		}
		seen[p.key()] = true
	}
	return history.Case{}, false
}

// missing returns how many cases of a run are known to be missing, counting a setting of which nothing is
// known as one.
//
// Errors: the parts don't agree on how many plans a setting has.
func missing[T any](pieces []Piece[T], settings int) (int, error) {
	plans, held := map[int]int{}, map[int]int{}
	for _, p := range pieces {
		if n, ok := plans[p.Setting]; ok && n != p.Plans {
			return 0, fmt.Errorf("setting %d has %d plans in one part and %d in another", p.Setting, n, p.Plans)
		}
		plans[p.Setting] = p.Plans
		held[p.Setting]++
	}
	left := settings - len(plans)
	for s, n := range plans {
		left += max(n, 1) - held[s]
	}
	return left, nil
}
