package reports

import (
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/paytwice/paytwice/explorer/history"
)

// ListText writes rows under a head, the last column wrapped so that lines stay under 100 columns.
func ListText(w io.Writer, head table.Row, rows []table.Row) error {
	t := plainTable()
	t.AppendRow(head)
	width := 0
	for _, r := range rows {
		used := 0
		for _, c := range r[:len(r)-1] {
			used += len([]rune(c.(string))) + 2
		}
		width = max(width, used)
	}
	for _, r := range rows {
		lines := wrap(r[len(r)-1].(string), max(98-width, 40))
		t.AppendRow(append(append(table.Row{}, r[:len(r)-1]...), lines[0]))
		for _, l := range lines[1:] {
			blank := make(table.Row, len(r)-1)
			for i := range blank {
				blank[i] = ""
			}
			t.AppendRow(append(blank, l))
		}
	}
	_, err := io.WriteString(w, render(t))
	return err
}

// PointsText writes the points of a run, one a line: each can be given to --point.
func PointsText(w io.Writer, l history.PointList, _ Style) error {
	for _, p := range clean(l).Points {
		if _, err := io.WriteString(w, p.Name+"\n"); err != nil {
			return err
		}
	}
	return nil
}
