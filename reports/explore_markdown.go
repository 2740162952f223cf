package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// ExplorationsMarkdown writes searches as a Markdown page: a table, then what was found and what was not
// searched. It stays within what GitHub takes as a step summary, and says what it left out for that.
func ExplorationsMarkdown(w io.Writer, d history.Explorations) error {
	table := block{head: tableHead("scenario", "ticket", "strategy", "provider", "mode", "faults:", "plans:", "states:", "verdict", "smallest plan")}
	var found, figures block
	count := map[history.Verdict]int{}
	for _, e := range d.Runs {
		verdict, plan := brokenText(e)
		count[e.Verdict()]++
		bad := e.Verdict() != history.Pass || len(e.Unreached) > 0
		table.rows = append(table.rows, row{tableRow(e.Scenario, dash(e.Ticket), dash(e.Strategy), dash(e.Provider), e.Mode, e.Crashes, e.PlansCovered, e.States, verdict, plan), bad})
		for _, v := range e.Violations {
			found.rows = append(found.rows, row{counterexampleItem(e, v), true})
		}
		if len(e.Unreached) > 0 {
			found.rows = append(found.rows, row{"- " + cell(title(e)) + ": **not reached** " + cell(strings.Join(e.Unreached, ", ")), true})
		}
		if !e.Complete {
			found.rows = append(found.rows, row{"- " + cell(title(e)) + ": **not complete**: " + cell(e.LeftOut), true})
		}
		figures.rows = append(figures.rows, row{"- " + cell(title(e)) + ": " + cell(strings.Join(explorationFigures(e), "; ")), bad})
	}
	table.foot = fmt.Sprintf("\n%s: %d without a violation, %d with one, %d undecided.\n", plural(int64(len(d.Runs)), "run"), count[history.Pass], count[history.Violated], count[history.Undecided])
	for _, l := range d.LeftOut {
		table.foot += "\nLeft out: " + cell(l) + "\n"
	}
	if len(found.rows) > 0 {
		found.head = "\n#### Found\n\n"
	}
	figures.head = "\n<details><summary>Figures of each run</summary>\n\n"
	figures.foot = "\n</details>\n"
	return writeBlocks(w, []block{table, ratchetBlock(d.Ratchet), found, figures})
}

// brokenText names what a search found, and its first smallest plan.
func brokenText(e history.Exploration) (verdict, plan string) {
	if len(e.Violations) == 0 {
		return verdictWord(e), ""
	}
	var names []string
	for _, v := range e.Violations {
		names = append(names, v.Invariant)
	}
	return strings.Join(names, ", "), e.Violations[0].Plan
}

func counterexampleItem(e history.Exploration, v history.Counterexample) string {
	return fmt.Sprintf("- %s: **%s** with %s, %s: %s<br>%s", cell(title(e)), cell(v.Invariant), plural(int64(v.Faults), "fault"), plural(int64(v.Effects), "effect"),
		cell(v.Detail), code(v.Replay))
}
