package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// HistoryText writes every event of every life, then the ledger and the verdict.
func HistoryText(w io.Writer, h history.History, s Style) error {
	h = clean(h)
	var b strings.Builder
	fmt.Fprintf(&b, "plan %s\n", paint(s.Strong, h.Plan))
	if h.LeftOut != "" {
		_, err := fmt.Fprintf(w, "%s\nleft out: %s\n", b.String(), h.LeftOut)
		return err
	}
	for i, life := range h.Lives {
		fmt.Fprintf(&b, "\nlife %d\n", i+1)
		t := plainTable()
		for _, e := range life.Events {
			point := e.Point()
			lines := wrap(e.What, 50)
			t.AppendRow([]any{e.N, point, lines[0]})
			for _, l := range lines[1:] {
				t.AppendRow([]any{"", "", l})
			}
		}
		right(t, 1)
		b.WriteString(render(t))
		b.WriteString(endText(life, s) + "\n")
	}
	b.WriteString("\n" + ledgerText(h, s))
	_, err := io.WriteString(w, b.String())
	return err
}

func endText(l history.Life, s Style) string {
	switch l.Ended {
	case history.Killed:
		return paint(s.Bad, "killed at "+l.At)
	case history.Failed:
		return paint(s.Bad, "ended with an error: "+l.Error)
	case history.Person:
		return paint(s.Open, "ended with a person")
	default:
		return paint(s.Good, "ended: done")
	}
}
