package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// MatrixMarkdown writes a matrix as a Markdown page: a table of the map where there is one, and one of the
// cells. It stays within what GitHub takes as a step summary, and says what it left out for that.
func MatrixMarkdown(w io.Writer, m history.Matrix) error {
	title := fmt.Sprintf("### Refund-count matrix (%s, seed %d)\n\n", cell(mode(m.Mode)), m.Seed)
	var blocks []block
	if len(m.Map) > 0 {
		blocks = append(blocks, mapBlock(m))
	}
	cells := block{head: tableHead("ticket", "#:", "action", "stop", "strategy", "provider", "effects:", "amount:", "calls:", "look-ups:", "lives:", "model calls:", "verdict")}
	for _, c := range m.Cells {
		verdict := verdictText(c)
		text := tableRow(c.Ticket, c.Action, c.What, rowOf(c).label, c.Strategy, c.Provider, c.Effects, amount(c), c.Calls, c.Lookups, c.Incarnations, c.ModelCalls, verdict)
		cells.rows = append(cells.rows, row{text, verdict != string(history.Pass)})
	}
	cells.foot = "\n" + summaryLine(m) + ".\n"
	if len(m.Unfilled) > 0 {
		cells.foot += "\nNo strategy passes " + cell(strings.Join(m.Unfilled, ", ")) + ".\n"
	}
	for _, line := range notWhole(m) {
		cells.foot += "\n" + cell(line) + "\n"
	}
	blocks = append(blocks, cells)
	blocks[0].head = title + blocks[0].head
	return writeBlocks(w, blocks)
}

// summaryLine is the summary of a matrix on one line.
func summaryLine(m history.Matrix) string {
	s := m.Summary
	return fmt.Sprintf("%d of %d landed, %d double writes, %d lost writes, %d handed to a person, %d undecided", s.Landed, s.Cells, s.DoubleWrites, s.LostWrites,
		s.HandedToPerson, s.Undecided)
}

func verdictText(c history.Cell) string {
	switch {
	case !c.Landed:
		return "did not land"
	case len(c.Violations) > 0:
		return strings.Join(c.Violations, ", ")
	case c.Verdict == history.Pass && c.HandedToPerson:
		return "pass, with a person"
	}
	return string(c.Verdict)
}

func mapBlock(m history.Matrix) block {
	g := gridOf(m)
	out := block{head: tableHead(append([]string{"provider"}, g.strategies...)...), foot: "\n"}
	for _, p := range g.providers {
		line, bad := []any{p}, false
		for _, s := range g.strategies {
			class := g.class[[2]string{s, p}]
			bad = bad || class == history.Double || class == history.Lost
			line = append(line, dash(string(class)))
		}
		out.rows = append(out.rows, row{tableRow(line...), bad})
	}
	return out
}
