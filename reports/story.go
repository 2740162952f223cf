package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/story"
)

// Row is one line of a story: which part of the workflow, and what happens.
type Row struct {
	Part string     `json:"part"`
	What string     `json:"what"`
	Kind story.Kind `json:"kind,omitempty"`
}

// Story tells a history as the lesson's explorer does, in English, as a terminal may show it.
func Story(h history.History) []Row { return rowsOf(story.Tell(clean(h))) }

func rowsOf(told story.Story) []Row {
	var rows []Row
	for _, r := range told.Table() {
		rows = append(rows, Row{string(r.Part), r.What.EN, r.Kind})
	}
	return rows
}

// StoryText writes the story of a history as a numbered table, the sentence that explains it, and the
// ledger.
func StoryText(w io.Writer, h history.History, s Style) error {
	h = clean(h)
	told := story.Tell(h)
	var b strings.Builder
	t := plainTable()
	t.AppendRow([]any{"#", "part", "what happens"})
	for i, r := range rowsOf(told) {
		lines := wrap(r.What, 78)
		t.AppendRow([]any{i + 1, s.kind(r.Kind, r.Part), lines[0]})
		for _, l := range lines[1:] {
			t.AppendRow([]any{"", "", l})
		}
	}
	right(t, 1)
	b.WriteString(render(t) + "\n")
	b.WriteString(strings.Join(wrap(told.Why.EN, 96), "\n") + "\n\n")
	b.WriteString(ledgerText(h, s))
	_, err := io.WriteString(w, b.String())
	return err
}

func (s Style) kind(k story.Kind, text string) string {
	switch k {
	case story.Wrote:
		return paint(s.Strong, text)
	case story.Fault:
		return paint(s.Bad, text)
	case story.Reconcile:
		return paint(s.Good, text)
	}
	return text
}

func ledgerText(h history.History, s Style) string {
	var b strings.Builder
	if len(h.Ledger) == 0 {
		b.WriteString("The ledger is empty: nothing happened outside the process.\n")
	} else {
		fmt.Fprintf(&b, "In the ledger at the end, %s:\n", plural(int64(len(h.Ledger)), "change"))
		t := plainTable()
		for _, e := range h.Ledger {
			how := "operation " + e.OperationID
			if strings.HasPrefix(e.OperationID, "request-") {
				how = "request " + e.OperationID
			}
			if e.Reversed {
				how += ", taken back"
			}
			t.AppendRow([]any{"  " + e.RecordID, e.Payload, how})
		}
		b.WriteString(render(t))
	}
	fmt.Fprintf(&b, "\nVerdict: %s\n", s.verdict(h.Verdict, verdictLine(h)))
	for _, v := range h.Broken {
		b.WriteString(strings.Join(wrap("  "+v.Invariant+": "+v.Detail, 98), "\n    ") + "\n")
	}
	return b.String()
}

func verdictLine(h history.History) string {
	if len(h.Violations) == 0 {
		return string(h.Verdict)
	}
	return string(h.Verdict) + " (" + strings.Join(h.Violations, ", ") + ")"
}

// wrap breaks a text into lines of at most n columns, between words.
func wrap(text string, n int) []string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var lines []string
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len([]rune(line))+1+len([]rune(word)) > n {
			lines = append(lines, line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
