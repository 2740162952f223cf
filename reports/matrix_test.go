package reports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

// axes says which cells a matrix has: one for each combination.
type axes struct {
	actions, points, strategies, providers []string
	tool                                   string
}

var (
	lessonPoints = []string{"before-write", "during-call", "after-write"}
	all          = []string{"operation-id", "naive-retry", "id-only", "lookup-only", "mark-first", "mark-last", "restart"}
	profiles     = []string{"replay-all", "resume", "latest-status", "success-only", "transient-flag", "key-only", "no-key", "scoped-token", "cancel-by-key", "blind", "larkfield"}
	refund       = "request_refund LK-507862 119.00 CAD RFD-DOUBLE payment PAY-507862-2"
)

// filled returns a matrix in which every cell has numbers of its own.
func filled(a axes) history.Matrix {
	m := history.Matrix{Schema: history.MatrixSchema, Scenario: "refund", Mode: "kill", Seed: 1}
	if a.tool == "" {
		a.tool = "request_refund"
	}
	n := 0
	for i, what := range a.actions {
		for _, s := range a.strategies {
			for _, p := range a.providers {
				for _, point := range a.points {
					n++
					plan := "kill payment.request_refund/after#1"
					if point == "mid-loop" || strings.Contains(point, "#") {
						plan = "kill " + strings.TrimPrefix(point, "mid-loop ")
					}
					c := history.Cell{Ticket: fmt.Sprintf("T-9010%d", i), Action: 1, Tool: a.tool, What: what, Point: point, Strategy: s, Provider: p, Plan: plan,
						Landed: true, Effects: n % 3, AmountCents: int64(n) * 995, Currency: "CAD", Calls: n % 4, ModelCalls: 2, Verdict: history.Pass, Status: "done"}
					if c.Effects > 1 {
						c.Verdict, c.Violations = history.Violated, []string{"double-write"}
					}
					if c.Effects == 0 {
						c.AmountCents = 0
					}
					m.Cells = append(m.Cells, c)
				}
			}
		}
	}
	m.Sum()
	return m
}

func many(n int, format string) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i+1))
	}
	return out
}

var layouts = map[string]axes{
	"one action, two strategies":        {actions: []string{refund}, points: lessonPoints, strategies: all[:2], providers: profiles[:1]},
	"one action, every strategy":        {actions: []string{refund}, points: lessonPoints, strategies: all, providers: profiles[:1]},
	"one action, long points":           {actions: []string{refund}, points: []string{"payment.request_refund/during-lost#1", "orders.get_customer_orders/during-lost#12"}, strategies: all[:3], providers: profiles[:1]},
	"one action, long points and all":   {actions: []string{refund}, points: many(15, "orders.get_customer_orders/during-lost#%d"), strategies: all, providers: profiles[:1]},
	"one action, one strategy, the map": {actions: []string{refund}, points: lessonPoints, strategies: all[:1], providers: profiles},
	"many actions":                      {actions: many(22, "create_return_label LK-6402%02d RUG-W reason change_of_mind"), points: lessonPoints, strategies: all[:2], providers: profiles[:1]},
	"many actions, every strategy":      {actions: many(22, "reship_item LK-6402%02d RUG-W x 1"), points: lessonPoints, strategies: all, providers: profiles[:1]},
	"many actions, many points":         {actions: many(5, "reship_item LK-64020%d RUG-W x 1"), points: many(20, "orders.get_customer_orders/during-lost#%d"), strategies: all, providers: profiles[:1]},
	"many actions, many profiles":       {actions: many(5, "reship_item LK-64020%d RUG-W x 1"), points: lessonPoints, strategies: all[:1], providers: profiles},
	"map":                               {actions: []string{refund}, points: lessonPoints, strategies: all, providers: profiles},
	"no refund":                         {actions: []string{"reship_item LK-640327 CAN-10 x 1"}, points: lessonPoints, strategies: all[:2], providers: profiles[:1], tool: "reship_item"},
}

func text(t *testing.T, m history.Matrix) string {
	t.Helper()
	var b bytes.Buffer
	if err := reports.MatrixText(&b, m, reports.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestMatrixText_Width: no layout is wider than a terminal of 100 columns, and none ends lines in blanks.
func TestMatrixText_Width(t *testing.T) {
	for name, a := range layouts {
		for i, line := range strings.Split(text(t, filled(a)), "\n") {
			if n := utf8.RuneCountInString(line); n >= 100 {
				t.Errorf("%s: line %d has %d columns: %s", name, i+1, n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s: line %d ends in blanks: %q", name, i+1, line)
			}
		}
	}
}

// TestMatrixText_NothingIsLost: every action, point, strategy and profile of the cells is in the text.
func TestMatrixText_NothingIsLost(t *testing.T) {
	short := map[string]string{"operation-id": "op-id|operation-id", "naive-retry": "naive", "lookup-only": "lookup"}
	for name, a := range layouts {
		got := text(t, filled(a))
		for _, s := range a.strategies {
			if p, ok := short[s]; ok {
				s = p
			}
			if !regexp.MustCompile(`\b(` + s + `)\b`).MatchString(got) {
				t.Errorf("%s: no %s in\n%s", name, s, got)
			}
		}
		if len(a.providers) > 1 || len(a.actions) == 1 {
			for _, p := range a.providers {
				if !strings.Contains(got, p) {
					t.Errorf("%s: no %s in\n%s", name, p, got)
				}
			}
		}
		if len(a.actions) > 1 {
			for i := range a.actions {
				if want := fmt.Sprintf("T-9010%d", i); !strings.Contains(got, want) {
					t.Errorf("%s: no %s in\n%s", name, want, got)
				}
			}
		}
	}
}

// TestMatrixText_SaysWhatItCounts: whoever sees a matrix of one action for the first time is told what its rows,
// columns and numbers are.
func TestMatrixText_SaysWhatItCounts(t *testing.T) {
	for _, name := range []string{"one action, two strategies", "one action, every strategy", "one action, long points and all", "no refund"} {
		if got := text(t, filled(layouts[name])); !strings.Contains(got, "\nkilled at each stop, started again by each strategy; counted at the service\n") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	lost := filled(layouts["one action, two strategies"])
	for i := range lost.Cells {
		lost.Cells[i].Plan = "lose-response payment.request_refund/during#1"
	}
	if got := text(t, lost); !strings.Contains(got, "\na fault at each stop, handled by each strategy; counted at the service\n") {
		t.Errorf("a time-out:\n%s", got)
	}
	kinds := filled(axes{actions: []string{refund}, points: lessonPoints, strategies: all[:1], providers: profiles[:2]})
	kinds.Map = nil
	if got := text(t, kinds); !strings.Contains(got, "\nkilled at each stop, started again on each kind of service; counted there\n") {
		t.Errorf("several profiles:\n%s", got)
	}
}

// TestMatrix_FormatsAgree: text and Markdown hold the numbers of the JSON.
func TestMatrix_FormatsAgree(t *testing.T) {
	for name, a := range layouts {
		m := filled(a)
		var doc, markdown bytes.Buffer
		if err := reports.WriteJSON(&doc, m); err != nil {
			t.Fatal(err)
		}
		if err := reports.MatrixMarkdown(&markdown, m); err != nil {
			t.Fatal(err)
		}
		var told history.Matrix
		if err := json.Unmarshal(doc.Bytes(), &told); err != nil {
			t.Fatal(err)
		}
		sum := told.Summary
		got := text(t, m)
		if want := fmt.Sprintf("%d of %d kills landed · %d double writes · %d lost writes · %d handed to a person\n", sum.Landed, sum.Cells, sum.DoubleWrites, sum.LostWrites, sum.HandedToPerson); !strings.HasSuffix(got, want) {
			t.Errorf("%s: text does not end with %q:\n%s", name, want, got)
		}
		if want := fmt.Sprintf("\n%d of %d landed, %d double writes, %d lost writes, %d handed to a person, %d undecided.\n", sum.Landed, sum.Cells, sum.DoubleWrites, sum.LostWrites, sum.HandedToPerson, sum.Undecided); !strings.HasSuffix(markdown.String(), want) {
			t.Errorf("%s: Markdown does not end with %q", name, want)
		}
		for _, c := range told.Cells {
			amount := "-"
			if c.AmountCents > 0 {
				amount = fmt.Sprintf("%d.%02d", c.AmountCents/100, c.AmountCents%100)
			}
			row := fmt.Sprintf("| %s | %s | %s |", c.Ticket, c.What, c.Point)
			numbers := fmt.Sprintf(" | %s | %s | %d | %s | %d | ", c.Strategy, c.Provider, c.Effects, amount, c.Calls)
			if !containsLine(markdown.String(), row[:12], numbers) {
				t.Errorf("%s: no line of Markdown with %q", name, numbers)
			}
		}
	}
	// The numbers in the text, by their column: the wide form, and the form for many strategies.
	m := filled(layouts["one action, two strategies"])
	for i, point := range lessonPoints {
		one, two := m.Cells[i], m.Cells[i+len(lessonPoints)]
		want := fmt.Sprintf(`(?m)^%s +%d +%s +%d +%d +%s +%d( |$)`, point, one.Effects, cents(one), one.Calls, two.Effects, cents(two), two.Calls)
		if got := text(t, m); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no line %s in\n%s", want, got)
		}
	}
	m = filled(layouts["one action, every strategy"])
	for i, point := range lessonPoints {
		want := "(?m)^" + point
		for s := range all {
			c := m.Cells[s*len(lessonPoints)+i]
			want += fmt.Sprintf(` +%d/%d[!?p]?`, c.Effects, c.Calls)
		}
		if got := text(t, m); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no line %s in\n%s", want, got)
		}
	}
}

func cents(c history.Cell) string {
	if c.AmountCents == 0 {
		return "-"
	}
	return fmt.Sprintf(`%d\.%02d`, c.AmountCents/100, c.AmountCents%100)
}

func containsLine(text string, parts ...string) bool {
	for _, line := range strings.Split(text, "\n") {
		found := true
		for _, p := range parts {
			found = found && strings.Contains(line, p)
		}
		if found {
			return true
		}
	}
	return false
}

// TestMatrix_Inert: what an action says is shown and not obeyed, on a terminal and in Markdown.
func TestMatrix_Inert(t *testing.T) {
	evil := "x\x1b[31m|`*<script>[a](b)\r\n| 9 | \u202e\u2028"
	for _, a := range []axes{
		{actions: []string{evil}, points: lessonPoints, strategies: all[:2], providers: profiles[:1]},
		{actions: []string{evil}, points: lessonPoints, strategies: all, providers: profiles[:1]},
		{actions: []string{evil, evil + "2"}, points: lessonPoints, strategies: all, providers: profiles[:1]},
	} {
		m := filled(a)
		var markdown bytes.Buffer
		if err := reports.MatrixMarkdown(&markdown, m); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]string{"text": text(t, m), "Markdown": markdown.String()} {
			if i := strings.IndexFunc(got, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == 0x202e || r == 0x2028 }); i >= 0 {
				t.Errorf("%s obeys %q: %.120q", name, got[i:i+1], got)
			}
		}
		for _, line := range strings.Split(markdown.String(), "\n") {
			bars := strings.Count(line, "|") - strings.Count(line, `\|`)
			if strings.HasPrefix(line, "|") && bars != 14 {
				t.Errorf("a line with %d bars: %s", bars, line)
			}
			if strings.Contains(line, "<script>") {
				t.Errorf("mark-up: %s", line)
			}
		}
	}
}

// TestMatrixText_Colours: colours change nothing but colours.
func TestMatrixText_Colours(t *testing.T) {
	paint := func(text string) string { return "\x1b[1m" + text + "\x1b[0m" }
	for name, a := range layouts {
		m := filled(a)
		var b bytes.Buffer
		if err := reports.MatrixText(&b, m, reports.Style{Good: paint, Bad: paint, Open: paint, Strong: paint}); err != nil {
			t.Fatal(err)
		}
		plain := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(b.String(), "")
		trim := regexp.MustCompile("(?m) +$")
		if plain = trim.ReplaceAllString(plain, ""); plain != text(t, m) {
			t.Errorf("%s: with colours\n%s\nwithout\n%s", name, plain, text(t, m))
		}
		if plain == b.String() {
			t.Errorf("%s: no colour at all", name)
		}
	}
}
