package reports

import (
	"fmt"
	"io"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/story"
)

// HistoryMarkdown writes every event of every life as a Markdown page, then the ledger and the verdict.
func HistoryMarkdown(w io.Writer, h history.History) error {
	blocks := []block{{head: "### " + historyTitle(h) + "\n"}}
	for i, life := range h.Lives {
		b := block{head: fmt.Sprintf("\n#### Life %d\n\n", i+1) + tableHead("#:", "point", "what happens")}
		for j := range life.Events {
			e := &life.Events[j]
			b.rows = append(b.rows, row{tableRow(e.N, e.Point(), e.What), e.Injected != ""})
		}
		b.foot = "\n" + cell(endText(life, Style{})) + "\n"
		blocks = append(blocks, b)
	}
	return writeBlocks(w, append(blocks, ledgerBlocks(h)...))
}

// StoryMarkdown writes the story of a history as a Markdown page: a numbered table, the sentence that
// explains it, the ledger and the verdict.
func StoryMarkdown(w io.Writer, h history.History) error {
	b := block{head: "### " + historyTitle(h) + "\n\n" + tableHead("#:", "part", "what happens")}
	for i, r := range Story(h) {
		b.rows = append(b.rows, row{tableRow(i+1, r.Part, r.What), r.Kind != story.Plain})
	}
	b.foot = "\n" + cell(story.Tell(h).Why.EN) + "\n"
	return writeBlocks(w, append([]block{b}, ledgerBlocks(h)...))
}

func historyTitle(h history.History) string {
	out := ""
	for _, p := range []string{h.Scenario, h.Strategy, h.Provider} {
		if p != "" {
			out += cell(p) + " · "
		}
	}
	out += code(cut(h.Plan, mostText))
	if h.LeftOut != "" {
		out += "\n\n**Left out**: " + cell(h.LeftOut)
	}
	return out
}

func ledgerBlocks(h history.History) []block {
	ledger := block{head: "\nThe ledger is empty: nothing happened outside the process.\n"}
	if len(h.Ledger) > 0 {
		ledger.head = "\n#### Ledger\n\n" + tableHead("#:", "record", "change", "amount:", "operation", "")
	}
	for _, e := range h.Ledger {
		taken := ""
		if e.Reversed {
			taken = "taken back"
		}
		ledger.rows = append(ledger.rows, row{tableRow(e.Seq, e.RecordID, e.Payload, effectAmount(e), e.OperationID, taken), true})
	}
	verdict := block{head: "\n**Verdict**: " + cell(verdictLine(h)) + "\n\n"}
	for _, v := range h.Broken {
		verdict.rows = append(verdict.rows, row{"- " + cell(v.Invariant) + ": " + cell(v.Detail), true})
	}
	return []block{ledger, verdict}
}

// effectAmount is what an effect moved, "-" for no money.
func effectAmount(e history.Effect) string {
	if e.AmountCents == 0 {
		return "-"
	}
	return formatCents(e.AmountCents) + " " + e.Currency
}
