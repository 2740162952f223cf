package reports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

// TestFormats_LeftOut: a run that was interrupted, and a part of one, says so in every format; a CI sees a
// skipped case.
func TestFormats_LeftOut(t *testing.T) {
	whole := filled(layouts["one action, two strategies"])
	for name, m := range map[string]history.Matrix{"some cells": whole, "no cell": {Schema: history.MatrixSchema, Scenario: "refund"}} {
		m.LeftOut, m.Shard = "the matrix was interrupted: 2 of 6 plans were not run", "1/3"
		a := audits()
		a.LeftOut = m.LeftOut
		for format, text := range map[string]string{
			"text": written(t, matrixText, m), "markdown": written(t, reports.MatrixMarkdown, m), "junit": written(t, reports.MatrixJUnit, m), "svg": written(t, reports.MatrixSVG, m),
			"audit as markdown": written(t, reports.AuditMarkdown, a), "audit as junit": written(t, reports.AuditJUnit, a), "audit as text": auditText(t, a),
		} {
			if !strings.Contains(text, m.LeftOut) {
				t.Errorf("%s as %s does not say what is left out", name, format)
			}
			if strings.HasSuffix(format, "junit") && !slices.ContainsFunc(readJUnit(t, text).results(), func(r string) bool { return strings.HasSuffix(r, ": -/-/-/left out: skipped undecided: "+m.LeftOut) }) {
				t.Errorf("%s as %s has no skipped case", name, format)
			}
			if want := fmt.Sprintf("shard 1/3: %d cells", len(m.Cells)); !strings.HasPrefix(format, "audit") && format != "junit" && !strings.Contains(text, want) {
				t.Errorf("%s as %s does not say which part it is", name, format)
			}
		}
		if list := reports.AuditAnnotations(a); !list[len(list)-1].Warning || list[len(list)-1].Lines[0] != a.LeftOut {
			t.Errorf("no warning: %+v", list)
		}
	}
}

func auditText(t *testing.T, a history.Audit) string {
	var b strings.Builder
	if err := reports.AuditText(&b, a, reports.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFormats_Baseline: what a baseline knows is said and fails nothing; what is new fails.
func TestFormats_Baseline(t *testing.T) {
	d := searches()
	known := history.ViolationClass{Scenario: "refund", Strategy: "naive-retry", Provider: "larkfield", Point: "a.b/after", Invariant: "double-write"}
	fresh := known
	fresh.Invariant, fresh.Point = "trail", "a.b/before"
	for name, c := range map[string]struct {
		ratchet history.Ratchet
		junit   string
		errors  []string
	}{
		"all known": {history.Ratchet{Known: []history.ViolationClass{known, fresh}}, "skipped the baseline knows double-write, trail", []string{"not reached: refund · T-90104 · restart · larkfield · simulated"}},
		"one new":   {history.Ratchet{New: []history.ViolationClass{fresh}, Known: []history.ViolationClass{known}}, "failure trail", []string{"trail: refund · T-90104 · naive-retry · larkfield · simulated", "not reached: refund · T-90104 · restart · larkfield · simulated"}},
	} {
		d.Ratchet = &c.ratchet
		want := "refund/naive-retry: T-90104/all/larkfield/all, simulate, up to 2 faults: " + c.junit
		if got := readJUnit(t, written(t, reports.ExplorationsJUnit, d)).results(); !slices.Contains(got, want) {
			t.Errorf("%s: no %q in %q", name, want, got)
		}
		var got []string
		for _, a := range reports.ExplorationsAnnotations(d) {
			if !a.Warning {
				got = append(got, a.Title)
			}
		}
		if diff := cmp.Diff(c.errors, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		line := fmt.Sprintf("baseline: %d new, %d known, 0 gone, 0 not searched\n", len(c.ratchet.New), len(c.ratchet.Known))
		var text strings.Builder
		if err := reports.ExplorationsText(&text, d, reports.Style{}); err != nil {
			t.Fatal(err)
		}
		for format, got := range map[string]string{"text": text.String(), "markdown": written(t, reports.ExplorationsMarkdown, d)} {
			if !strings.Contains(got, "\n"+line) || strings.Contains(got, "new: refund · naive-retry · larkfield · a.b/before · trail\n") != (len(c.ratchet.New) > 0) {
				t.Errorf("%s as %s:\n%s", name, format, got)
			}
		}
	}
}
