package reports

import (
	"fmt"
	"io"

	"github.com/paytwice/paytwice/explorer/history"
)

// ExecMarkdown writes what crashing a program from outside found as a Markdown page, every violation with
// the command that replays it as far as GitHub takes them.
func ExecMarkdown(w io.Writer, e history.Exec) error {
	table := block{head: tableHead("crash", "cases:", "landed:", "states:", "violations")}
	for _, c := range execColumns(e) {
		table.rows = append(table.rows, row{tableRow(c.name, c.Cases, c.Landed, c.States, columnText(c.ExecColumn)), true})
	}
	table.foot = fmt.Sprintf("\n%s in the undisturbed run; %s, %s landed, %s.\n", plural(int64(e.Calls), "durable call"), plural(int64(e.Cases), "case"),
		thousands(int64(e.Landed)), plural(int64(e.States), "state"))
	if e.Model != "" {
		table.foot += "\nPower-loss model: " + cell(e.Model) + "\n"
	}
	if !e.Complete {
		table.foot += "\n**Not complete**: " + cell(e.LeftOut) + "\n"
	}
	var found block
	for _, v := range e.Violations {
		found.rows = append(found.rows, row{fmt.Sprintf("- **%s** at %s %s: %s<br>%s", cell(v.Invariant), cell(v.Call), cell(v.Path), cell(v.Detail), code(v.Replay)), true})
	}
	if breaksUndisturbed(e) {
		found.rows = append(found.rows, row{"- " + undisturbed, false})
	}
	for _, path := range e.Outside {
		found.rows = append(found.rows, row{"- changed outside the case's folder, and not put back: " + cell(path), false})
	}
	for _, path := range e.Mapped {
		found.rows = append(found.rows, row{"- written through memory, where stores are not seen: " + cell(path), false})
	}
	if e.Reordered > 0 {
		found.rows = append(found.rows, row{"- " + reordered(e), false})
	}
	if len(found.rows) > 0 {
		found.head = "\n#### Found\n\n"
	}
	return writeBlocks(w, []block{table, found})
}
