package reports_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

// githubSummary is how much GitHub takes as the summary of a step.
const githubSummary = 1 << 20

// TestMarkdown_Limit: a report that GitHub would drop is cut, says so, and keeps what is bad.
func TestMarkdown_Limit(t *testing.T) {
	m := filled(axes{actions: []string{refund}, points: many(12_000, "orders.get_customer_orders/during-lost#%d"), strategies: all[:1], providers: profiles[:1]})
	for i := range m.Cells {
		m.Cells[i].Effects, m.Cells[i].Verdict, m.Cells[i].Violations = 1, history.Pass, nil
	}
	last := &m.Cells[len(m.Cells)-1]
	last.Effects, last.Verdict, last.Violations = 2, history.Violated, []string{"double-write"}
	m.Sum()
	text := written(t, reports.MatrixMarkdown, m)
	if len(text) > githubSummary || len(text) < githubSummary/2 {
		t.Errorf("%d bytes", len(text))
	}
	kept := strings.Count(text, "\n| T-90100 ")
	if want := fmt.Sprintf("\n**%s of 12,000 rows are left out**: GitHub takes 1 MiB at most. `--format json` has them all.\n", thousands(12_000-kept)); kept == 12_000 || !strings.Contains(text, want) {
		t.Errorf("%d rows kept, and it does not say %q", kept, want)
	}
	if !strings.Contains(text, "#12000 | operation-id | replay-all | 2 |") || !strings.HasSuffix(text, "\n12000 of 12000 landed, 1 double writes, 0 lost writes, 0 handed to a person, 0 undecided.\n") {
		t.Errorf("the violation or the summary is left out: %s", text[len(text)-300:])
	}
	whole := written(t, reports.MatrixMarkdown, filled(layouts["map"]))
	if strings.Contains(whole, "left out") || strings.Count(whole, "\n| T-90100 ") != len(filled(layouts["map"]).Cells) {
		t.Error("a small report is cut")
	}
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// TestMarkdown_LimitOfAll: no kind of report passes the limit, whatever it holds.
func TestMarkdown_LimitOfAll(t *testing.T) {
	long := strings.Repeat("long & <text> ", 400)
	d := searches()
	for range 200 {
		d.Runs[1].Violations = append(d.Runs[1].Violations, history.Counterexample{Invariant: "double-write", Plan: long, Detail: long, Replay: long})
	}
	h := hostile()
	for range 400 {
		h.Lives[0].Events = append(h.Lives[0].Events, history.Event{N: 9, Seam: "a", Operation: "b", Position: "after", What: long})
		h.Ledger = append(h.Ledger, history.Effect{Payload: long})
	}
	e, a := sweep(), audits()
	for range 400 {
		e.Violations = append(e.Violations, history.ExecViolation{Invariant: "lost-write", Detail: long, Replay: long})
		a.Planted = append(a.Planted, history.Planted{Name: "planted/x", Plan: long})
	}
	for name, text := range map[string]string{
		"searches": written(t, reports.ExplorationsMarkdown, d), "history": written(t, reports.HistoryMarkdown, h), "exec": written(t, reports.ExecMarkdown, e), "audit": written(t, reports.AuditMarkdown, a),
	} {
		if len(text) > githubSummary {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		if !regexp.MustCompile(`\*\*[0-9]+ of [0-9]+ rows are left out\*\*`).MatchString(text) {
			t.Errorf("%s: it does not say what is left out", name)
		}
	}
}

// TestMarkdown_Explorations: the page says what was found, with the command that replays it, and what was not
// searched.
func TestMarkdown_Explorations(t *testing.T) {
	text := written(t, reports.ExplorationsMarkdown, searches())
	for _, want := range []string{
		"| refund | T-90104 | naive-retry | larkfield | simulate | 2 | 1641 | 58 | double-write, trail | kill a.b/after#1 |\n",
		"\n5 runs: 3 without a violation, 1 with one, 1 undecided.\n\nLeft out: planted bugs\n",
		"\n- refund · T-90104 · naive-retry · larkfield · simulated: **trail** with 1 fault, 1 effect: a gap<br>`paytwice replay 'kill a.b/before#1'`\n",
		"**not complete**: 9 states after --max-runs 57\n",
		"**not reached** kill a.b/during#1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
