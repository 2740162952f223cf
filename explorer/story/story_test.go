package story_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/story"
)

// lostAnswer is a write whose answer is lost with its process; the next life asks, finds it, and ends.
func lostAnswer() history.History {
	write := &history.Request{Write: true, Intent: "op-1", Key: "op-1", What: "request_refund LK-1 9.95 CAD"}
	pending := []history.Operation{{ID: "op-1", Status: "pending", Attempts: 1}}
	return history.History{
		Ledger: []history.Effect{{Tool: "request_refund", OperationID: "op-1", RecordID: "RF-1", AmountCents: 995, Currency: "CAD"}},
		Lives: []history.Life{
			{Ended: history.Killed, At: "payment.request_refund/during#1", Events: []history.Event{
				{Seam: "model", Operation: "complete", Position: "before", Call: 1},
				{Seam: "orders", Operation: "get_order", Position: "before", Call: 1},
				{Seam: "checkpoint", Operation: "save", Position: "after", Call: 1, Saved: &history.Saved{Status: "running", Step: 1}},
				{Seam: "checkpoint", Operation: "save", Position: "after", Call: 2, Saved: &history.Saved{Status: "executing", Operations: pending}},
				{Seam: "payment", Operation: "request_refund", Position: "before", Call: 1, Request: write},
				{Seam: "payment", Operation: "request_refund", Position: "during", Call: 1, Request: write},
			}},
			{Ended: history.Done, Events: []history.Event{
				{Seam: "checkpoint", Operation: "load", Position: "after", Call: 1, Loaded: &history.Saved{Status: "executing", Operations: pending}},
				{Seam: "payment", Operation: "operation", Position: "before", Call: 1, Request: &history.Request{Ask: true, Intent: "op-1"}},
				{Seam: "payment", Operation: "operation", Position: "after", Call: 1, Request: &history.Request{Ask: true, Intent: "op-1"}, Answer: history.Found, RecordID: "RF-1"},
				{Seam: "checkpoint", Operation: "save", Position: "after", Call: 1, Saved: &history.Saved{Status: "done", Operations: []history.Operation{{ID: "op-1", Status: "done", Attempts: 1}}}},
			}},
		},
	}
}

func TestTell(t *testing.T) {
	told := story.Tell(lostAnswer())
	var english, french []string
	for _, r := range told.Rows {
		english = append(english, fmt.Sprintf("%d %s [%s] %s %t: %s", r.Life, r.Part, r.Kind, r.Lane, r.Answered, r.What.EN))
		if !r.Detail {
			french = append(french, r.What.FR)
		}
	}
	want := []string{
		"1 work [] process false: 1 model decision, 1 read, 1 save",
		"1 save [] checkpoint true: op-1 pending, 1 call(s)",
		"1 write [wrote] service false: request_refund 9.95, operation op-1: the payment service makes the refund (RF-1)",
		"1 stop [fault] process false: the process is killed during the call: done, and the answer never seen",
		"2 checkpoint [] checkpoint true: the record says: op-1 pending, 1 call(s)",
		"2 resume [] process false: resume: it may have happened, so ask before calling again",
		"2 reconcile [reconcile] service true: asks the service about operation op-1 -> found: it happened (RF-1)",
		"2 save [] checkpoint true: op-1 done, 1 call(s)",
		"2 end [] process false: status: done",
	}
	if diff := cmp.Diff(want, english); diff != "" {
		t.Error(diff)
	}
	want = []string{
		"request_refund 9,95, opération op-1\u00a0: le service de paiement fait le remboursement (RF-1)",
		"le processus est tué pendant l’appel\u00a0: fait, réponse jamais vue",
		"le dossier dit\u00a0: op-1 en attente, appels\u00a0: 1",
		"reprise\u00a0: c’est peut-être arrivé, donc on demande avant de rappeler",
		"interroge le service sur l’opération op-1 -> trouvé\u00a0: c’est arrivé (RF-1)",
		"état\u00a0: terminé",
	}
	if diff := cmp.Diff(want, french); diff != "" {
		t.Error(diff)
	}
}

// A service that does not know the id again makes the change twice under one id: each request tells of its
// own entry. One that knows it answers as the first time.
func TestTell_SameIDSentAgain(t *testing.T) {
	again := lostAnswer().Lives[0].Events[4:]
	for entries, want := range map[int]string{
		1: "[] request_refund 9.95, operation op-1: the service answers as the first time (RF-1)",
		2: "[wrote] request_refund 9.95, operation op-1: the payment service makes the refund (RF-2)",
	} {
		h := lostAnswer()
		h.Ledger = append(h.Ledger, h.Ledger[0])[:entries]
		h.Ledger[entries-1].RecordID = fmt.Sprintf("RF-%d", entries)
		h.Lives[1].Events = append(h.Lives[1].Events[:1], again...)
		for _, r := range story.Tell(h).Rows {
			if got := fmt.Sprintf("[%s] %s", r.Kind, r.What.EN); r.Part == story.Write && r.Life == 2 && got != want {
				t.Errorf("%d entries: %s", entries, got)
			}
		}
	}
}

// Both registers are told as each life left them: at the kill they disagree.
func TestTell_Registers(t *testing.T) {
	var got []string
	for _, r := range story.Tell(lostAnswer()).Registers {
		got = append(got, fmt.Sprintf("%d killed=%t %s %s, %d in the ledger", r.Life, r.Killed, r.Status, r.Operations[0].Status, len(r.Ledger)))
	}
	if diff := cmp.Diff([]string{"1 killed=true executing pending, 1 in the ledger", "2 killed=false done done, 1 in the ledger"}, got); diff != "" {
		t.Error(diff)
	}
	// A kill before the write leaves the ledger empty, whatever comes later.
	h := lostAnswer()
	h.Lives[0].Events = h.Lives[0].Events[:5]
	h.Lives[1].Events = append(h.Lives[1].Events, lostAnswer().Lives[0].Events[4:]...)
	if r := story.Tell(h).Registers; len(r[0].Ledger) != 0 || len(r[1].Ledger) != 1 {
		t.Errorf("%d effects before, %d after", len(r[0].Ledger), len(r[1].Ledger))
	}
}

// Every status that a program records is read out in French; a change is an operation, and agrees with it.
func TestStatus(t *testing.T) {
	for _, status := range []string{"running", "waiting_approval", "executing", "done", "handed_to_person", "stopped"} {
		if got := story.RunStatus(status); got.EN != status || got.FR == status {
			t.Errorf("%q", got)
		}
	}
	if got := story.OperationStatus("done").FR; got != "faite" {
		t.Errorf("an operation is %s", got)
	}
	if got := story.RunStatus("of another program"); got != story.Same("of another program") {
		t.Errorf("%q", got)
	}
}

func TestMoney(t *testing.T) {
	for cents, want := range map[int64]story.Text{
		995:  {EN: "9.95 CAD", FR: "9,95\u00a0$\u00a0CA"},
		5:    {EN: "0.05 CAD", FR: "0,05\u00a0$\u00a0CA"},
		-150: {EN: "-1.50 CAD", FR: "-1,50\u00a0$\u00a0CA"},
	} {
		if got := story.Money(cents, "CAD"); got != want {
			t.Errorf("%d: %q", cents, got)
		}
	}
	if got := story.Money(100, "EUR"); got.FR != "1,00\u00a0EUR" {
		t.Errorf("%q", got.FR)
	}
}

func TestText_JSON(t *testing.T) {
	got, err := json.Marshal([]story.Text{{EN: "a", FR: "b"}, story.Same("c")})
	if err != nil || string(got) != `[["a","b"],"c"]` {
		t.Errorf("%s %v", got, err)
	}
}
