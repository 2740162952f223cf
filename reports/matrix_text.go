package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/paytwice/paytwice/explorer/history"
)

// lineWidth is how wide a line of a report may be.
const lineWidth = 99

// MatrixText writes a matrix for a terminal, under 100 columns.
func MatrixText(w io.Writer, m history.Matrix, s Style) error {
	m = clean(m)
	var b strings.Builder
	v := viewOf(m)
	switch {
	case len(m.Cells) == 0:
	case len(m.Map) > 0:
		b.WriteString(mapText(m, s))
	case len(v.actions) == 1 && v.tellsPay() && v.fits(true):
		b.WriteString(v.title(s) + "\n" + v.axes + "\nmodel: the model calls that were paid, over all lives\n\n" + v.wideTable(true, s))
	case len(v.actions) == 1 && v.fits(false):
		b.WriteString(v.title(s) + "\n" + v.axes + "\n\n" + v.wideTable(false, s))
	case len(v.actions) == 1:
		fmt.Fprintf(&b, "%s\n%s\n%s/calls; %s\n\n%s", v.title(s), v.axes, v.noun, legend, inBlocks(v.columns, s, v.compactTable))
	default:
		b.WriteString(actionsText(v, s))
	}
	if len(m.Cells) > 0 {
		b.WriteString("\n" + summaryText(m, s))
	}
	for _, line := range notWhole(m) {
		b.WriteString("\n" + line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// notWhole says what a matrix does not have.
func notWhole(m history.Matrix) []string {
	var out []string
	if m.Shard != "" {
		out = append(out, fmt.Sprintf("shard %s: %d cells; merge joins the parts", m.Shard, len(m.Cells)))
	}
	if m.LeftOut != "" {
		out = append(out, "left out: "+m.LeftOut)
	}
	return out
}

// title names the one action and what all its cells share.
func (v view) title(s Style) string {
	a := v.actions[0]
	head, rest := paint(s.Strong, a.ticket)+" "+a.what, v.alike+" · "+mode(v.mode)
	if len([]rune(a.ticket+" "+a.what+" · "+rest)) > lineWidth {
		return head + "\n" + rest
	}
	return head + " · " + rest
}

// inBlocks draws columns beside each other as far as they fit, the others in tables below.
func inBlocks(columns []string, s Style, draw func([]string, Style) string) string {
	var blocks []string
	for len(columns) > 0 {
		n := len(columns)
		for n > 1 && !narrow(draw(columns[:n], Style{})) {
			n--
		}
		blocks = append(blocks, draw(columns[:n], s))
		columns = columns[n:]
	}
	return strings.Join(blocks, "\n")
}

// narrow reports whether every line of a text without colours fits.
func narrow(text string) bool {
	for _, line := range strings.Split(text, "\n") {
		if len([]rune(line)) > lineWidth {
			return false
		}
	}
	return true
}

func mode(m string) string {
	if m == "kill" {
		return "real kills"
	}
	return "simulated"
}

func summaryText(m history.Matrix, s Style) string {
	landed := "kills landed"
	for _, c := range m.Cells {
		if !strings.HasPrefix(c.Plan, "kill ") {
			landed = "faults landed"
		}
	}
	double := fmt.Sprintf("%d double writes", m.Summary.DoubleWrites)
	if m.Summary.DoubleWrites > 0 {
		double = paint(s.Bad, double)
	}
	lost := fmt.Sprintf("%d lost writes", m.Summary.LostWrites)
	if m.Summary.LostWrites > 0 {
		lost = paint(s.Bad, lost)
	}
	undecided := ""
	if m.Summary.Undecided > 0 {
		undecided = " · " + paint(s.Open, fmt.Sprintf("%d undecided", m.Summary.Undecided))
	}
	return fmt.Sprintf("%d of %d %s · %s · %s · %d handed to a person%s\n",
		m.Summary.Landed, m.Summary.Cells, landed, double, lost, m.Summary.HandedToPerson, undecided)
}

// fits reports whether the wide table is narrow enough.
func (v view) fits(paid bool) bool {
	return len(v.columns) <= 3 && narrow(v.wideTable(paid, Style{}))
}

// wideTable shows one action: a line a stop, three columns a strategy, a fourth for the model calls paid.
func (v view) wideTable(paid bool, s Style) string {
	t := plainTable()
	top, head := table.Row{"stop"}, table.Row{""}
	var numbers []int
	for _, name := range v.columns {
		titles := []string{v.noun, "amount", "calls"}
		if paid {
			titles = append(titles, "model")
		}
		for i, title := range titles {
			numbers = append(numbers, len(head)+1)
			head = append(head, title)
			if i > 0 {
				name = ""
			}
			top = append(top, name)
		}
	}
	t.AppendRow(top)
	t.AppendRow(append(head, ""))
	for _, r := range v.rows {
		row := table.Row{r.label}
		worst := history.Safe
		for _, name := range v.columns {
			c, ok := v.cell(v.actions[0], r, name)
			counts := table.Row{"-", "-", "-", "-"}
			if ok {
				worst = history.Worse(worst, c.Class())
				counts = table.Row{s.class(c.Class(), fmt.Sprint(c.Effects)), amount(c), fmt.Sprint(c.Calls), fmt.Sprint(c.ModelCalls)}
			}
			if !paid {
				counts = counts[:3]
			}
			row = append(row, counts...)
		}
		t.AppendRow(append(row, s.class(worst, classWord(worst))))
	}
	right(t, numbers...)
	return render(t)
}

func amount(c history.Cell) string {
	if c.AmountCents == 0 {
		return "-"
	}
	return formatCents(c.AmountCents)
}

func classWord(c history.Class) string {
	switch c {
	case history.Double:
		return "twice"
	case history.Lost:
		return "lost"
	case history.ByPerson:
		return "a person decides"
	default:
		return ""
	}
}

// compactTable shows one action under many strategies: effects/calls, a column a strategy.
func (v view) compactTable(columns []string, s Style) string {
	t := plainTable()
	head := table.Row{"stop"}
	var numbers []int
	for i, name := range columns {
		head = append(head, short(name))
		numbers = append(numbers, i+2)
	}
	t.AppendRow(head)
	for _, r := range v.rows {
		row := table.Row{r.label}
		for _, name := range columns {
			c, ok := v.cell(v.actions[0], r, name)
			if !ok {
				row = append(row, "-")
				continue
			}
			row = append(row, s.class(c.Class(), fmt.Sprintf("%d/%d", c.Effects, c.Calls)+mark(c.Class())))
		}
		t.AppendRow(row)
	}
	right(t, numbers...)
	return render(t)
}

// mark tells the classes apart without colour.
func mark(c history.Class) string {
	switch c {
	case history.Double:
		return "!"
	case history.Lost:
		return "?"
	case history.ByPerson:
		return "p"
	default:
		return " "
	}
}

// legend explains the marks.
const legend = "! twice, ? lost, p a person decides"

// shortNames are what a strategy is called where a column is narrow.
var shortNames = map[string]string{"operation-id": "op-id", "naive-retry": "naive", "id-only": "id-only", "lookup-only": "lookup", "restart": "restart"}

func short(name string) string {
	if s, ok := shortNames[name]; ok {
		return s
	}
	return name
}

// maxStops is how many stops fit into one column: with more, they are counted.
const maxStops = 12

// actionsText shows many actions, one line each: for every strategy the effects at each stop, or how many
// stops end badly.
func actionsText(v view, s Style) string {
	var stops []string
	for _, r := range v.rows {
		stops = append(stops, r.label)
	}
	what := "effects at " + cut(strings.Join(stops, ", "), 60)
	if len(stops) > maxStops {
		what = fmt.Sprintf("how many of the stops that it passes, of %d in all", len(stops))
	}
	return fmt.Sprintf("%s · %s · %s\n%s\n\n%s", v.alike, mode(v.mode), what, legend, inBlocks(v.columns, s, v.actionsTable))
}

func (v view) actionsTable(columns []string, s Style) string {
	t := plainTable()
	head := table.Row{"ticket", "#", "action"}
	for _, name := range columns {
		head = append(head, short(name))
	}
	t.AppendRow(head)
	for _, a := range v.actions {
		row := table.Row{a.ticket, a.number, cut(a.what, 42)}
		for _, name := range columns {
			if len(v.rows) > maxStops {
				row = append(row, v.countsLine(a, name, s))
			} else {
				row = append(row, v.effectsLine(a, name, s))
			}
		}
		t.AppendRow(row)
	}
	return render(t)
}

func (v view) effectsLine(a actionKey, column string, s Style) string {
	var parts []string
	for _, r := range v.rows {
		c, ok := v.cell(a, r, column)
		if !ok {
			parts = append(parts, "- ")
			continue
		}
		parts = append(parts, s.class(c.Class(), fmt.Sprint(c.Effects)+mark(c.Class())))
	}
	return strings.Join(parts, " ")
}

// countsLine counts the stops that an action passes, and of them the bad ends, the worst first.
func (v view) countsLine(a actionKey, column string, s Style) string {
	passed, count := 0, map[history.Class]int{}
	for _, r := range v.rows {
		if c, ok := v.cell(a, r, column); ok {
			passed++
			count[c.Class()]++
		}
	}
	if passed == 0 {
		return "-"
	}
	parts := []string{fmt.Sprint(passed)}
	for _, class := range []history.Class{history.Double, history.Lost, history.ByPerson} {
		if count[class] > 0 {
			parts = append(parts, s.class(class, fmt.Sprint(count[class])+mark(class)))
		}
	}
	return strings.Join(parts, " ")
}

// mapText shows strategies against provider profiles.
func mapText(m history.Matrix, s Style) string {
	grid := gridOf(m)
	t := plainTable()
	head := table.Row{"provider"}
	for _, name := range grid.strategies {
		head = append(head, short(name))
	}
	t.AppendRow(head)
	for _, p := range grid.providers {
		row := table.Row{p}
		for _, name := range grid.strategies {
			class, ok := grid.class[[2]string{name, p}]
			if !ok {
				row = append(row, "-")
				continue
			}
			row = append(row, s.class(class, string(class)))
		}
		t.AppendRow(row)
	}
	return fmt.Sprintf("strategies against provider profiles · %s · the worst of each cell's stops\n\n%s", mode(m.Mode), render(t))
}
