package reports

import (
	"fmt"
	"io"

	"github.com/paytwice/paytwice/explorer/history"
)

// AuditMarkdown writes what became of every planted bug as a Markdown page.
func AuditMarkdown(w io.Writer, a history.Audit) error {
	table := block{head: tableHead("planted bug", "invariant", "ticket", "provider", "strategy", "mode", "faults:", "caught", "smallest plan")}
	for _, p := range a.Planted {
		caught := "yes"
		if !p.Caught {
			caught = "NO: " + uncaught(p)
		}
		table.rows = append(table.rows, row{tableRow(p.Name, p.Invariant, dash(p.Ticket), dash(p.Provider), dash(p.Strategy), p.Mode, p.Faults, caught, p.Plan), !p.Caught})
	}
	table.foot = fmt.Sprintf("\n%d of %d caught by the right invariant.\n", a.Caught, a.Total)
	if a.LeftOut != "" {
		table.foot += "\nLeft out: " + cell(a.LeftOut) + "\n"
	}
	return writeBlocks(w, []block{table})
}
