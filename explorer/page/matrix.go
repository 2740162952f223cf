package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/story"
)

// Recorded is a matrix with the stories of its cells. Stories stands beside the cells, nil where there is
// none; it may be nil as a whole. Glossary says what the names are that the matrix has; what it does not name,
// and what the matrix does not have, is left out.
type Recorded struct {
	Matrix   history.Matrix
	Stories  []*story.Story
	Glossary Glossary
}

// heat is a map: strategies against points or profiles. Layers are several maps of one form, one at a time.
type heat struct {
	Title   int     `json:"title"`
	Lead    int     `json:"lead"`
	Choose  int     `json:"choose"`
	Columns []int   `json:"columns"`
	Rows    []int   `json:"rows"`
	Layers  []layer `json:"layers"`
}

// layer is one map; Cells holds its rows, a cell without cases is nil.
type layer struct {
	Name  int       `json:"name"`
	Cells [][]*spot `json:"cells"`
}

// spot is one cell of a map: the worst of its cases, what is written in it, and which rows of the table it
// stands for, the worst first.
type spot struct {
	Mark  mark  `json:"m"`
	Label int   `json:"t"`
	Cases []int `json:"i"`
}

// markOf returns the mark of one case.
func markOf(c history.Cell) mark {
	class := c.Class()
	switch {
	case class == history.Double:
		return doubled
	case class == history.Lost:
		return lost
	case c.Verdict == history.Violated:
		return broken
	case !c.Landed:
		return missed
	case c.Verdict != history.Pass:
		return open
	case class == history.ByPerson:
		return person
	case c.Effects == 0:
		return open // neither broken nor done: whether it should have happened, nobody said
	default:
		return safe
	}
}

var rank = map[mark]int{safe: 0, person: 1, open: 2, missed: 3, broken: 4, lost: 5, doubled: 6}

// matrix shows a matrix: its summary, two maps and the table of its cells.
func (d *data) matrix(r Recorded) {
	m := r.Matrix
	d.Report.Title, d.Report.Lead = d.ui("matrix.title", m.Scenario), d.word("runs", m.Mode)
	s := m.Summary
	d.fact("cells", s.Cells, "")
	d.fact("landed", s.Landed, ifAny(s.Cells-s.Landed, missed))
	d.fact("double_writes", s.DoubleWrites, ifAny(s.DoubleWrites, doubled))
	d.fact("lost_writes", s.LostWrites, ifAny(s.LostWrites, lost))
	d.fact("handed_to_person", s.HandedToPerson, ifAny(s.HandedToPerson, person))
	d.fact("undecided", s.Undecided, ifAny(s.Undecided, open))
	d.fact("seed", m.Seed, "")
	d.leftOut(m.LeftOut, m.Shard)
	for _, point := range m.Unfilled {
		d.note(d.ui("note.unfilled", point))
	}
	if sum := m; summed(&sum) != s {
		d.note(d.ui("note.summary"))
	}
	for _, n := range m.Notes {
		d.note(d.name(n))
	}
	if len(m.Cells) == 0 {
		return
	}
	x := axesOf(m)
	// A map of one column says nothing that the other does not.
	if len(x.points) > 1 || len(x.providers) == 1 {
		d.Report.Maps = append(d.Report.Maps, d.byPoint(m, x))
	}
	if len(x.providers) > 1 {
		d.Report.Maps = append(d.Report.Maps, d.byProvider(m, x))
	}
	d.legend("mark.safe", person, open, missed, broken, lost, doubled)
	d.glossary(r.Glossary, x)
	d.Report.Tables = append(d.Report.Tables, d.cells(r))
}

func summed(m *history.Matrix) history.Summary {
	m.Sum()
	return m.Summary
}

// axes are the strategies, points and profiles in the order in which cells name them.
type axes struct{ strategies, points, providers []string }

func axesOf(m history.Matrix) axes {
	var x axes
	seen := map[[2]string]bool{}
	note := func(to *[]string, axis, name string) {
		if key := [2]string{axis, name}; !seen[key] {
			seen[key] = true
			*to = append(*to, name)
		}
	}
	for _, c := range m.Cells {
		note(&x.strategies, "strategy", c.Strategy)
		note(&x.points, "point", c.Point)
		note(&x.providers, "provider", c.Provider)
	}
	return x
}

// spots counts the cells of all layers of both maps.
func (x axes) spots() int64 {
	strategies, points, providers := int64(len(x.strategies)), int64(len(x.points)), int64(len(x.providers))
	return strategies * (points*(providers+1) + providers*(points+1))
}

// byPoint is strategies against points, one layer a profile; several profiles have a layer of the worst.
func (d *data) byPoint(m history.Matrix, x axes) heat {
	h := heat{Title: d.ui("map.points"), Lead: d.ui("map.points.lead"), Choose: d.ui("provider"), Columns: d.names(x.points), Rows: d.names(x.strategies)}
	// Larkfield, the lesson's own, comes first; the worst of all comes last.
	providers := slices.Clone(x.providers)
	slices.SortStableFunc(providers, func(a, b string) int { return first(b) - first(a) })
	for _, p := range providers {
		h.Layers = append(h.Layers, d.layer(d.name(p), m, x.strategies, x.points, func(c history.Cell) (string, bool) { return c.Point, c.Provider == p }))
	}
	if len(providers) > 1 {
		h.Layers = append(h.Layers, d.layer(d.ui("all.providers"), m, x.strategies, x.points, func(c history.Cell) (string, bool) { return c.Point, true }))
	}
	return h
}

func first(provider string) int {
	if provider == "larkfield" {
		return 1
	}
	return 0
}

// byProvider is strategies against profiles, first the worst of all points, then one layer a point.
func (d *data) byProvider(m history.Matrix, x axes) heat {
	h := heat{Title: d.ui("map.providers"), Lead: d.ui("map.providers.lead"), Choose: d.ui("point"), Columns: d.names(x.providers), Rows: d.names(x.strategies)}
	if len(x.points) > 1 {
		h.Layers = append(h.Layers, d.layer(d.ui("all.points"), m, x.strategies, x.providers, func(c history.Cell) (string, bool) { return c.Provider, true }))
	}
	for _, p := range x.points {
		h.Layers = append(h.Layers, d.layer(d.name(p), m, x.strategies, x.providers, func(c history.Cell) (string, bool) { return c.Provider, c.Point == p }))
	}
	return h
}

func (d *data) names(names []string) []int {
	var out []int
	for _, n := range names {
		out = append(out, d.name(n))
	}
	return out
}

func (d *data) layer(name int, m history.Matrix, strategies, columns []string, place func(history.Cell) (column string, in bool)) layer {
	row, col := index(strategies), index(columns)
	l := layer{Name: name, Cells: make([][]*spot, len(strategies))}
	for i := range l.Cells {
		l.Cells[i] = make([]*spot, len(columns))
	}
	for i, c := range m.Cells {
		column, in := place(c)
		if !in {
			continue
		}
		at := &l.Cells[row[c.Strategy]][col[column]]
		if *at == nil {
			*at = &spot{Mark: markOf(c)}
		}
		if mark := markOf(c); rank[mark] > rank[(*at).Mark] {
			(*at).Mark = mark
		}
		(*at).Cases = append((*at).Cases, i)
	}
	for _, cells := range l.Cells {
		for _, s := range cells {
			if s != nil {
				d.finish(s, m)
			}
		}
	}
	return l
}

// finish puts the worst cases of a spot first and writes its figure: how often one change happened, or how
// many of its cases went wrong.
func (d *data) finish(s *spot, m history.Matrix) {
	slices.SortStableFunc(s.Cases, func(a, b int) int { return rank[markOf(m.Cells[b])] - rank[markOf(m.Cells[a])] })
	if len(s.Cases) == 1 {
		s.Label = d.name(fmt.Sprint(m.Cells[s.Cases[0]].Effects))
		return
	}
	wrong := 0
	for _, i := range s.Cases {
		if rank[markOf(m.Cells[i])] >= rank[broken] {
			wrong++
		}
	}
	s.Label = d.name(fmt.Sprintf("%d/%d", wrong, len(s.Cases)))
}

func index(names []string) map[string]int {
	out := map[string]int{}
	for i, n := range names {
		out[n] = i
	}
	return out
}

// cells is the table of every cell.
func (d *data) cells(r Recorded) table {
	t := table{Title: d.ui("matrix.cells"), Rows: [][]int{}, Columns: []column{
		d.column("strategy", words), d.column("point", words), d.column("provider", words), d.column("effects", figure), d.column("amount", words),
		d.column("calls", figure), d.column("lookups", figure), d.column("lives", figure), d.column("model_calls", figure), d.column("ticket", words), d.column("action", prose),
		d.column("status", words), d.column("verdict", words), d.column("plan", code), d.column("replay", code)}}
	for i, c := range r.Matrix.Cells {
		amount := story.Same("")
		if c.Currency != "" {
			amount = story.Money(c.AmountCents, c.Currency)
		}
		t.add(markOf(c), d.ui("mark."+string(markOf(c))), d.name(c.Strategy), d.name(c.Point), d.name(c.Provider), c.Effects, d.text(amount), c.Calls, c.Lookups, c.Incarnations, c.ModelCalls,
			d.name(c.Ticket), d.name(fmt.Sprintf("%d: %s", c.Action, c.What)), d.text(story.RunStatus(c.Status)), d.verdict(c.Verdict, c.Violations), d.name(c.Plan), d.name(c.Replay))
		if r.Stories != nil {
			t.Tellings = append(t.Tellings, d.telling(r.Stories[i]))
		}
	}
	return t
}

// verdict is the broken invariants, or the verdict where none is.
func (d *data) verdict(v history.Verdict, violations []string) int {
	if len(violations) > 0 {
		return d.name(strings.Join(violations, ", "))
	}
	return d.word("verdict", string(v))
}
