package history_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
)

func TestEvent_Point(t *testing.T) {
	e := history.Event{Seam: "payment", Operation: "request_refund", Position: "after", Call: 1}
	if got := e.Point(); got != "payment.request_refund/after#1" {
		t.Errorf("got %s", got)
	}
}

// The process that lived a life differs from run to run, so it is not saved.
func TestLife_SavedWithoutItsProcess(t *testing.T) {
	data, err := json.Marshal(history.Life{Ended: history.Killed, PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ToLower(string(data)), "pid") {
		t.Errorf("saved as %s", data)
	}
}

// Whatever reads as a history is written as one, and reads back as the same.
func FuzzHistoryJSON(f *testing.F) {
	h := history.History{Schema: history.Schema, Plan: "kill a.b/after#1", Verdict: history.Violated, Violations: []string{"double-write"},
		Lives: []history.Life{{Ended: history.Killed, At: "a.b/after#1", Events: []history.Event{
			{N: 1, Seam: "a", Operation: "b", Position: "before", Call: 1, Request: &history.Request{Intent: "i", Key: "k", Write: true, Payload: "p"}},
			{N: 2, Seam: "c", Operation: "save", Position: "after", Call: 1, Answer: history.Answered,
				Saved: &history.Saved{Run: "r", Status: "done", Operations: []history.Operation{{ID: "i", Status: "done", Attempts: 1}}}},
			{N: 3, Seam: "model", Operation: "complete", Position: "before", Call: 1, Decision: &history.Decision{Run: "r", Repeat: 1, Step: 1}},
		}}},
		Ledger: []history.Effect{{Seq: 1, Tool: "t", Intent: "i", OperationID: "o", AmountCents: 995}}}
	seed, err := json.Marshal(h)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte(`{"lives":[{"events":null}],"ledger":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var read, again history.History
		if json.Unmarshal(data, &read) != nil {
			return
		}
		written, err := json.Marshal(read)
		if err != nil {
			return // a year beyond 9999 reads and doesn't write
		}
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatal(err)
		}
		twice, err := json.Marshal(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(written), string(twice)); diff != "" {
			t.Error(diff)
		}
		again.Tell() // no history is too odd to be told
	})
}
