package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// view is a matrix by its axes, each in the order in which its cells stand. Its columns are strategies, or
// the providers of the one strategy there is.
type view struct {
	mode string
	// alike is what all cells share: the provider, or the strategy.
	alike   string
	axes    string // what rows, columns and numbers are
	noun    string
	actions []actionKey
	columns []string
	rows    []rowKey
	cells   map[cellKey]history.Cell
}

type actionKey struct {
	ticket string
	number int
	what   string
}

// rowKey is one stop: a point, or one of several plans of a point.
type rowKey struct {
	point string
	plan  string
	label string
}

type cellKey struct {
	actionKey
	point, plan, column string
}

func viewOf(m history.Matrix) view {
	v := view{mode: m.Mode, noun: "effects", cells: map[cellKey]history.Cell{}}
	seenAction, seenColumn, seenRow := map[actionKey]bool{}, map[string]bool{}, map[rowKey]bool{}
	refunds := true
	byProvider := oneStrategy(m) && !oneProvider(m)
	for _, c := range m.Cells {
		a := actionKey{c.Ticket, c.Action, c.What}
		if !seenAction[a] {
			seenAction[a] = true
			v.actions = append(v.actions, a)
		}
		column := c.Strategy
		v.alike = c.Provider
		if byProvider {
			column, v.alike = c.Provider, c.Strategy
		}
		if !seenColumn[column] {
			seenColumn[column] = true
			v.columns = append(v.columns, column)
		}
		r := rowOf(c)
		if !seenRow[r] {
			seenRow[r] = true
			v.rows = append(v.rows, r)
		}
		refunds = refunds && c.Tool == "request_refund"
		v.cells[cellKey{a, r.point, r.plan, column}] = c
	}
	if refunds {
		v.noun = "refunds"
	}
	v.axes = axesOf(m, byProvider)
	return v
}

// axesOf says what is done at each row, by or on each column, and where the numbers are from.
func axesOf(m history.Matrix, byProvider bool) string {
	row, on := "killed at each stop, started again ", "by each strategy; counted at the service"
	if slices.ContainsFunc(m.Cells, func(c history.Cell) bool { return !strings.HasPrefix(c.Plan, "kill ") }) {
		row = "a fault at each stop, handled " // A lost answer kills nobody.
	}
	if byProvider {
		on = "on each kind of service; counted there"
	}
	return row + on
}

func oneStrategy(m history.Matrix) bool {
	for _, c := range m.Cells {
		if c.Strategy != m.Cells[0].Strategy {
			return false
		}
	}
	return true
}

func oneProvider(m history.Matrix) bool {
	for _, c := range m.Cells {
		if c.Provider != m.Cells[0].Provider {
			return false
		}
	}
	return true
}

// rowOf tells the plans of one point apart only where the point strikes everywhere alike: a lesson's point
// strikes each action at a write of its own.
func rowOf(c history.Cell) rowKey {
	if c.Point == "mid-loop" {
		return rowKey{c.Point, c.Plan, fmt.Sprintf("%s %s", c.Point, strings.TrimPrefix(c.Plan, "kill "))}
	}
	return rowKey{c.Point, "", c.Point}
}

func (v view) cell(a actionKey, r rowKey, column string) (history.Cell, bool) {
	c, ok := v.cells[cellKey{a, r.point, r.plan, column}]
	return c, ok
}

// grid is the map by its axes.
type grid struct {
	strategies, providers []string
	class                 map[[2]string]history.Class
}

func gridOf(m history.Matrix) grid {
	g := grid{class: map[[2]string]history.Class{}}
	strategies, providers := map[string]bool{}, map[string]bool{}
	for _, e := range m.Map {
		if !strategies[e.Strategy] {
			strategies[e.Strategy] = true
			g.strategies = append(g.strategies, e.Strategy)
		}
		if !providers[e.Provider] {
			providers[e.Provider] = true
			g.providers = append(g.providers, e.Provider)
		}
		g.class[[2]string{e.Strategy, e.Provider}] = e.Class
	}
	return g
}

// lessonWrite reports whether a point is one of the lesson's around a write: the model is never asked again
// there, so its calls need no column.
func lessonWrite(point string) bool {
	switch point {
	case "before-write", "during-call", "timeout", "after-write":
		return true
	}
	return false
}

// tellsPay reports whether the calls of the model are worth a column.
func (v view) tellsPay() bool {
	for _, r := range v.rows {
		if !lessonWrite(r.point) {
			return true
		}
	}
	return false
}
