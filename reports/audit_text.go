package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// AuditText writes what became of every planted bug, a line each, then the smallest plans.
func AuditText(w io.Writer, a history.Audit, s Style) error {
	a = clean(a)
	t := plainTable()
	t.AppendRow([]any{"planted bug", "invariant", "provider", "strategy", "faults", "caught"})
	for _, p := range a.Planted {
		caught := paint(s.Good, "yes")
		if !p.Caught {
			caught = paint(s.Bad, "NO")
		}
		// A form of another scenario stands beside its own provider, which says whose it is.
		strategy := strings.TrimPrefix(p.Strategy, "transfer/")
		t.AppendRow([]any{strings.TrimPrefix(p.Name, "planted/"), p.Invariant, p.Provider, strategy, p.Faults, caught})
	}
	right(t, 5)
	var b strings.Builder
	b.WriteString(render(t))
	for _, p := range a.Planted {
		if !p.Caught {
			others := "nothing"
			if len(p.Others) > 0 {
				others = strings.Join(p.Others, ", ")
			}
			fmt.Fprintf(&b, "\n%s: %s did not catch it; caught by %s\n  %s\n", p.Name, paint(s.Bad, p.Invariant), others, p.Doc)
		}
	}
	fmt.Fprintf(&b, "\n%d of %d caught by the right invariant\n", a.Caught, a.Total)
	if a.LeftOut != "" {
		fmt.Fprintf(&b, "left out: %s\n", a.LeftOut)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
