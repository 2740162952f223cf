package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/paytwice/paytwice/explorer/history"
)

// MatrixText writes a matrix for a terminal, under 100 columns.
func MatrixText(w io.Writer, m history.Matrix, s Style) error {
	var b strings.Builder
	v := viewOf(m)
	switch {
	case len(m.Map) > 0:
		b.WriteString(mapText(m, s))
	case len(v.actions) == 1 && len(v.strategies) <= 3:
		b.WriteString(wideText(v, s))
	case len(v.actions) == 1:
		b.WriteString(compactText(v, s))
	default:
		b.WriteString(actionsText(v, s))
	}
	b.WriteString("\n" + summaryText(m, s))
	_, err := io.WriteString(w, b.String())
	return err
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
	return fmt.Sprintf("%d of %d %s · %s · %s · %d handed to a person\n",
		m.Summary.Landed, m.Summary.Cells, landed, double, lost, m.Summary.HandedToPerson)
}

// wideText shows one action: a line a stop, three columns a strategy, a fourth where the
// stop may cost model calls.
func wideText(v view, s Style) string {
	t := plainTable()
	paid := v.tellsPay()
	top, head := table.Row{"stop"}, table.Row{""}
	var numbers []int
	for _, name := range v.strategies {
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
		for _, name := range v.strategies {
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
	note := ""
	if paid {
		note = "model: the model calls that were paid, over all lives\n"
	}
	return fmt.Sprintf("%s %s · %s · %s\n%s\n%s", paint(s.Strong, v.actions[0].ticket), v.actions[0].what, v.provider, mode(v.mode), note, render(t))
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

// compactText shows one action under many strategies: effects/calls, a column a strategy.
func compactText(v view, s Style) string {
	t := plainTable()
	head := table.Row{"stop"}
	var numbers []int
	for i, name := range v.strategies {
		head = append(head, short(name))
		numbers = append(numbers, i+2)
	}
	t.AppendRow(head)
	for _, r := range v.rows {
		row := table.Row{r.label}
		for _, name := range v.strategies {
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
	return fmt.Sprintf("%s %s · %s · %s\n%s/calls; %s\n\n%s", paint(s.Strong, v.actions[0].ticket), v.actions[0].what, v.provider, mode(v.mode), v.noun, legend(v), render(t))
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

func legend(v view) string {
	return "! twice, ? lost, p a person decides"
}

// shortNames are what a strategy is called where a column is narrow.
var shortNames = map[string]string{"operation-id": "op-id", "naive-retry": "naive", "id-only": "id-only", "lookup-only": "lookup",
	"mark-first": "first", "mark-last": "last", "restart": "restart"}

func short(name string) string {
	if s, ok := shortNames[name]; ok {
		return s
	}
	return name
}

// actionsText shows many actions, one line each: for every strategy the effects at each stop.
func actionsText(v view, s Style) string {
	t := plainTable()
	head := table.Row{"ticket", "#", "action"}
	for _, name := range v.strategies {
		head = append(head, short(name))
	}
	t.AppendRow(head)
	for _, a := range v.actions {
		row := table.Row{a.ticket, a.number, cut(a.what, 46)}
		for _, name := range v.strategies {
			row = append(row, effectsLine(v, a, name, s))
		}
		t.AppendRow(row)
	}
	var stops []string
	for _, r := range v.rows {
		stops = append(stops, r.label)
	}
	return fmt.Sprintf("%s · %s · effects at %s\n%s\n\n%s", v.provider, mode(v.mode), cut(strings.Join(stops, ", "), 70), legend(v), render(t))
}

func effectsLine(v view, a actionKey, strategy string, s Style) string {
	var parts []string
	for _, r := range v.rows {
		c, ok := v.cell(a, r, strategy)
		if !ok {
			parts = append(parts, "- ")
			continue
		}
		parts = append(parts, s.class(c.Class(), fmt.Sprint(c.Effects)+mark(c.Class())))
	}
	return strings.Join(parts, " ")
}

func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
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
