package reports_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

// hostile is a history whose every text tries something.
func hostile() history.History {
	const evil = "\x1b]0;x\x07\r\x1b[2J|<b>"
	write := &history.Request{Write: true, Intent: evil, Key: "k" + evil, What: "request_refund LK " + evil, Payload: evil}
	return history.History{Plan: "kill a.b/after#1", Scenario: "refund", Verdict: history.Violated, Violations: []string{"double-write"},
		Broken: []history.Violation{{Invariant: "double-write", Detail: evil + strings.Repeat(" word", 60)}},
		Ledger: []history.Effect{{Tool: "request_refund", OperationID: "k" + evil, RecordID: "RF-1" + evil, Payload: evil, AmountCents: 1, Currency: "CAD"}},
		Lives: []history.Life{
			{Ended: history.Failed, Error: evil, Events: []history.Event{
				{N: 1, Seam: "payment", Operation: "request_refund", Position: "before", Call: 1, Request: write, What: evil},
				{N: 2, Seam: "payment", Operation: "request_refund", Position: "during", Call: 1, Request: write, What: evil},
			}},
			{Ended: history.Killed, At: "payment.operation/after#1", Events: []history.Event{
				{N: 1, Seam: "checkpoint", Operation: "load", Position: "after", Call: 1, Loaded: &history.Saved{Run: evil, Operations: []history.Operation{{ID: evil, Status: "pending", Attempts: 1}}}, What: evil},
				{N: 2, Seam: "payment", Operation: "operation", Position: "after", Call: 1, Request: &history.Request{Ask: true, Intent: evil}, Answer: history.Found, RecordID: evil, What: evil},
			}},
		}}
}

// TestHistory_Inert: neither the story nor the history obeys what a program or a service said.
func TestHistory_Inert(t *testing.T) {
	var story, whole bytes.Buffer
	if err := reports.StoryText(&story, hostile(), reports.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := reports.HistoryText(&whole, hostile(), reports.Style{}); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"story": story.String(), "history": whole.String()} {
		if i := strings.IndexFunc(got, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
			t.Errorf("the %s obeys a control character: %.160q", name, got[max(i-40, 0):])
		}
	}
}

// TestExploration_Width: a long detail is wrapped; a plan and its command stay whole, to be copied.
func TestExploration_Width(t *testing.T) {
	plan := strings.Repeat("kill payment.request_refund/after#1; ", 4) + "run"
	e := history.Exploration{Scenario: "refund", Mode: "simulate", Complete: true, Violations: []history.Counterexample{
		{Invariant: "double-write", Plan: plan, Faults: 4, Detail: strings.Repeat("made again ", 30), Replay: "paytwice replay '" + plan + "'"}}}
	var b, several bytes.Buffer
	if err := reports.ExplorationText(&b, e, reports.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := reports.ExplorationsText(&several, history.Explorations{Runs: []history.Exploration{e, e}}, reports.Style{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{b.String(), several.String()} {
		for _, line := range strings.Split(text, "\n") {
			if utf8.RuneCountInString(line) >= 100 && !strings.Contains(line, plan) {
				t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
			}
		}
		if !strings.Contains(text, "    plan    "+plan+"\n") || !strings.Contains(text, "    replay  paytwice replay '"+plan+"'\n") {
			t.Errorf("no whole plan and command in\n%s", text)
		}
	}
}
