package reports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

func TestWriteAnnotations(t *testing.T) {
	got := written(t, reports.WriteAnnotations, []reports.Annotation{
		{Title: "double-write: 100%, twice", Lines: []string{"made: 2, 100%", "", "replay: paytwice replay 'kill a.b/after#1'"}},
		{Warning: true, Title: "undecided", Lines: []string{"a\nb\r"}},
	})
	want := "::error title=double-write%3A 100%25%2C twice::made: 2, 100%25%0Areplay: paytwice replay 'kill a.b/after#1'\n" +
		"::warning title=undecided::a\\u000ab\\u000d\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWriteAnnotations_Cap: GitHub shows ten of a kind; the rest is counted, in a line that is no command.
func TestWriteAnnotations_Cap(t *testing.T) {
	var list []reports.Annotation
	for i := range 25 {
		list = append(list, reports.Annotation{Title: fmt.Sprint(i)}, reports.Annotation{Warning: i < 11, Title: fmt.Sprint(i)})
	}
	got := written(t, reports.WriteAnnotations, list)
	if n, m := strings.Count(got, "::error "), strings.Count(got, "::warning "); n != 10 || m != 10 {
		t.Errorf("%d errors and %d warnings", n, m)
	}
	want := "29 more violations without an annotation: GitHub shows 10 of a kind; the report has them all\n" +
		"1 more undecided run without an annotation: GitHub shows 10 of a kind; the report has them all\n"
	if !strings.HasSuffix(got, "\n"+want) {
		t.Errorf("it does not end with\n%s but\n%s", want, got)
	}
	if got := written(t, reports.WriteAnnotations, nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestAnnotations_All: what makes a run red or undecided has an annotation, and what passes has none.
func TestAnnotations_All(t *testing.T) {
	titles := func(list []reports.Annotation) []string {
		var out []string
		for _, a := range list {
			kind := "error "
			if a.Warning {
				kind = "warning "
			}
			out = append(out, kind+a.Title)
		}
		return out
	}
	incomplete := sweep()
	incomplete.Complete, incomplete.LeftOut = false, "7 kills"
	for name, c := range map[string]struct {
		got  []reports.Annotation
		want []string
	}{
		"searches": {reports.ExplorationsAnnotations(searches()), []string{
			"error double-write: refund · T-90104 · naive-retry · larkfield · simulated", "error trail: refund · T-90104 · naive-retry · larkfield · simulated",
			"warning undecided: refund · T-90104 · operation-id · larkfield · real kills", "error not reached: refund · T-90104 · restart · larkfield · simulated"}},
		"audit":     {reports.AuditAnnotations(audits()), []string{"error planted/quiet"}},
		"exec":      {reports.ExecAnnotations(incomplete), []string{"error double-write", "warning undecided: exec"}},
		"history":   {reports.HistoryAnnotations(history.History{Scenario: "refund", Verdict: history.Violated, Violations: []string{"trail"}}), []string{"error trail: refund"}},
		"undecided": {reports.HistoryAnnotations(history.History{Scenario: "refund", Verdict: history.Undecided}), []string{"warning undecided: refund"}},
		"pass":      {reports.HistoryAnnotations(history.History{Scenario: "refund", Verdict: history.Pass}), nil},
	} {
		if diff := cmp.Diff(c.want, titles(c.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
