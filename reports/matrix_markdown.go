package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// MatrixMarkdown writes a matrix as a Markdown page: a table of the map where there is one, and one of the
// cells.
func MatrixMarkdown(w io.Writer, m history.Matrix) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### Refund-count matrix (%s)\n\n", mode(m.Mode))
	if len(m.Map) > 0 {
		b.WriteString(mapMarkdown(m))
	}
	b.WriteString("| ticket | action | stop | strategy | provider | effects | amount | calls | verdict |\n")
	b.WriteString("|---|---|---|---|---|--:|--:|--:|---|\n")
	for _, c := range m.Cells {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d | %s | %d | %s |\n", cell(c.Ticket), cell(c.What), cell(rowOf(c).label), cell(c.Strategy),
			cell(c.Provider), c.Effects, amount(c), c.Calls, cell(verdictText(c)))
	}
	fmt.Fprintf(&b, "\n%d of %d landed, %d double writes, %d lost writes, %d handed to a person, %d undecided.\n", m.Summary.Landed,
		m.Summary.Cells, m.Summary.DoubleWrites, m.Summary.LostWrites, m.Summary.HandedToPerson, m.Summary.Undecided)
	_, err := io.WriteString(w, b.String())
	return err
}

func verdictText(c history.Cell) string {
	if len(c.Violations) > 0 {
		return strings.Join(c.Violations, ", ")
	}
	return string(c.Verdict)
}

func mapMarkdown(m history.Matrix) string {
	g := gridOf(m)
	var b strings.Builder
	b.WriteString("| provider |")
	for _, s := range g.strategies {
		fmt.Fprintf(&b, " %s |", cell(s))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(g.strategies)) + "\n")
	for _, p := range g.providers {
		fmt.Fprintf(&b, "| %s |", cell(p))
		for _, s := range g.strategies {
			fmt.Fprintf(&b, " %s |", g.class[[2]string{s, p}])
		}
		b.WriteByte('\n')
	}
	return b.String() + "\n"
}

// cell makes text inert in a Markdown table: no bar ends it, no mark-up starts in it.
func cell(text string) string {
	return markdownEscapes.Replace(inert(text))
}

var markdownEscapes = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", "\\*", "[", "\\[", "]", "\\]")
