package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// MatrixSVG writes a matrix as a picture for a README: strategies against provider profiles where the
// document has a map, else stops against strategies. It says what it leaves out.
func MatrixSVG(w io.Writer, m history.Matrix) error {
	p := matrixPicture(m)
	if len(m.Map) > 0 {
		p = mapPicture(m)
	}
	p.summary = summaryLine(m)
	for _, point := range m.Unfilled {
		p.notes = append(p.notes, "no strategy passes "+point)
	}
	p.notes = append(p.notes, notWhole(m)...)
	return p.draw(w)
}

func matrixPicture(m history.Matrix) picture {
	v := viewOf(m)
	p := picture{corner: "stop", columns: v.columns, legendNote: "number: " + v.noun}
	about := fmt.Sprintf("%s · %s, seed %d", v.alike, mode(m.Mode), m.Seed)
	if len(v.actions) == 1 {
		a := v.actions[0]
		p.title = fmt.Sprintf("%s #%d %s · %s", a.ticket, a.number, a.what, about)
	} else {
		p.title = fmt.Sprintf("%s · %s", plural(int64(len(v.actions)), "action"), about)
	}
	for _, a := range v.actions {
		for _, r := range v.rows {
			label := r.label
			if len(v.actions) > 1 {
				label = fmt.Sprintf("%s #%d %s", a.ticket, a.number, r.label)
			}
			row := pictureRow{label: label}
			for _, column := range v.columns {
				c, ok := v.cell(a, r, column)
				row.cells = append(row.cells, v.cellPicture(c, ok, column))
			}
			p.rows = append(p.rows, row)
		}
	}
	return p
}

func (v view) cellPicture(c history.Cell, ok bool, column string) pictureCell {
	if !ok {
		return pictureCell{}
	}
	small := plural(int64(c.Calls), "call")
	if c.AmountCents != 0 {
		small = formatCents(c.AmountCents) + " · " + small
	}
	if v.tellsPay() {
		small += fmt.Sprintf(" · %d model", c.ModelCalls)
	}
	return pictureCell{kind: kindOf(c), big: fmt.Sprint(c.Effects), small: small,
		about: fmt.Sprintf("%s #%d %s, %s: %s, %s (%s)", c.Ticket, c.Action, rowOf(c).label, column, countsText(c), livesText(c), verdictText(c))}
}

// kindOf returns a cell's mark. What is not known is never drawn as good.
func kindOf(c history.Cell) markKind {
	class := c.Class()
	switch {
	case !c.Landed:
		return markOpen
	case class == history.Double:
		return markDouble
	case class == history.Lost:
		return markLost
	case len(c.Violations) > 0 || c.Verdict == history.Violated:
		return markOther
	case c.Verdict != history.Pass:
		return markOpen
	case class == history.ByPerson:
		return markPerson
	}
	return markSafe
}

// mapPicture draws each cell of the map by its class, with the sums of its stops.
func mapPicture(m history.Matrix) picture {
	g := gridOf(m)
	p := picture{title: fmt.Sprintf("Strategies against provider profiles · %s, seed %d", mode(m.Mode), m.Seed), corner: "provider", columns: g.strategies,
		legendNote: "the worst of each cell's stops; number: effects/stops, 3/3 is one at each of 3"}
	sums := map[[2]string]*stops{}
	for _, c := range m.Cells {
		key := [2]string{c.Strategy, c.Provider}
		if sums[key] == nil {
			sums[key] = &stops{}
		}
		sums[key].add(c)
	}
	for _, provider := range g.providers {
		row := pictureRow{label: provider}
		for _, strategy := range g.strategies {
			class, ok := g.class[[2]string{strategy, provider}]
			row.cells = append(row.cells, sums[[2]string{strategy, provider}].picture(class, ok, strategy+" on "+provider))
		}
		p.rows = append(p.rows, row)
	}
	return p
}

// stops sums the cells behind one cell of the map.
type stops struct {
	cells, effects, calls, lookups, lives, modelCalls, open, other int
	cents                                                          int64
	actions                                                        []string
}

func (s *stops) add(c history.Cell) {
	s.cells++
	s.effects += c.Effects
	s.calls += c.Calls
	s.lookups += c.Lookups
	s.lives += c.Incarnations
	s.modelCalls += c.ModelCalls
	s.cents += c.AmountCents
	switch kindOf(c) {
	case markOpen:
		s.open++
	case markOther:
		s.other++
	}
	name := fmt.Sprintf("%s #%d", c.Ticket, c.Action)
	if n := len(s.actions); n == 0 || s.actions[n-1] != name {
		s.actions = append(s.actions, name)
	}
}

func (s *stops) picture(class history.Class, ok bool, where string) pictureCell {
	if !ok {
		return pictureCell{}
	}
	if s == nil {
		s = &stops{}
	}
	kind := map[history.Class]markKind{history.Safe: markSafe, history.ByPerson: markPerson, history.Lost: markLost, history.Double: markDouble}[class]
	small := marks[kind].word // of the worst stop, in the legend's words
	switch fine := kind == markSafe || kind == markPerson; {
	case kind == "" || fine && s.open > 0:
		kind = markOpen
	case fine && s.other > 0:
		kind = markOther
	}
	if s.other > 0 {
		small = fmt.Sprintf("%s, %d other", small, s.other)
	}
	about := fmt.Sprintf("%s: %s; %s at %s (%s), %s, %s, %s, %s, %s", where, small, plural(int64(s.effects), "effect"), plural(int64(s.cells), "stop"),
		cut(strings.Join(s.actions, ", "), mostLabel), formatCents(s.cents), plural(int64(s.calls), "call"), plural(int64(s.lookups), "look-up"),
		livesCount(s.lives), plural(int64(s.modelCalls), "model call"))
	return pictureCell{kind: kind, big: fmt.Sprintf("%d/%d", s.effects, s.cells), small: small, about: about}
}
