package reports

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/paytwice/paytwice/explorer/history"
)

// Style colours text for a terminal. The zero value leaves it plain.
type Style struct {
	Good, Bad, Open, Strong func(string) string
}

func paint(f func(string) string, text string) string {
	if f == nil {
		return text
	}
	return f(text)
}

// class paints a text as its class deserves.
func (s Style) class(c history.Class, text string) string {
	switch c {
	case history.Double, history.Lost:
		return paint(s.Bad, text)
	case history.ByPerson:
		return paint(s.Open, text)
	default:
		return paint(s.Good, text)
	}
}

func (s Style) verdict(v history.Verdict, text string) string {
	switch v {
	case history.Violated:
		return paint(s.Bad, text)
	case history.Undecided:
		return paint(s.Open, text)
	default:
		return paint(s.Good, text)
	}
}

// plainTable returns a table without lines, its columns two blanks apart.
func plainTable() table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{DrawBorder: false, SeparateColumns: true, SeparateHeader: false, SeparateRows: false}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", ""
	style.Box.MiddleVertical = "  "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	return t
}

// right aligns columns, counted from 1, to the right.
func right(t table.Writer, columns ...int) {
	var configs []table.ColumnConfig
	for _, n := range columns {
		configs = append(configs, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
}

// render returns the table with no blanks at the ends of lines.
func render(t table.Writer) string {
	var out strings.Builder
	for _, line := range strings.Split(t.Render(), "\n") {
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}
