package graphnode

import (
	"fmt"
	"strings"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

// Refunds returns the refunds that the service has in a state, oldest first.
//
// Errors: the service's text can't be read.
func Refunds(s explorer.State) ([]Refund, error) {
	return scenarios.Value[[]Refund](PaymentFile, scenarios.TextsOf(s)[PaymentFile])
}

// NodeRuns counts how often the node was started in the lives of a history.
func NodeRuns(h history.History) int {
	runs := 0
	for _, l := range h.Lives {
		for _, e := range l.Events {
			if e.Seam == "node" && e.Operation == "run" && e.Position == "before" {
				runs++
			}
		}
	}
	return runs
}

// canonical keeps of a refund only whether its id can come again: a new id says when it was made, and
// nothing asks for it any more.
func (f Form) canonical(texts map[string]string, _ time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "thread %s\n", texts[CheckpointFile])
	refunds, err := scenarios.Value[[]Refund](PaymentFile, texts[PaymentFile])
	if err != nil {
		return b.String() + texts[PaymentFile]
	}
	for _, r := range refunds {
		fmt.Fprintf(&b, "refund %s %t\n", r.Record, r.ID == resolver.OperationID(ticket, action()))
	}
	return b.String()
}

// outcome is the service's refunds as the ledger, and the thread as the program's record.
func (f Form) outcome(texts map[string]string, _ time.Time) *check.Outcome {
	want := intent()
	o := &check.Outcome{NoTrail: true, Intents: []history.Intent{want}}
	refunds, err := scenarios.Value[[]Refund](PaymentFile, texts[PaymentFile])
	if err != nil {
		o.Runs = append(o.Runs, history.Saved{Run: "payment", Status: "unreadable"})
	}
	for n, r := range refunds {
		o.Ledger = append(o.Ledger, history.Effect{Seq: n + 1, Tool: want.Tool, Ticket: ticket, Intent: want.ID, OperationID: r.ID,
			RecordID: r.Record, Subject: want.Subject, AmountCents: want.AmountCents, Currency: resolver.Currency,
			Reason: want.Reason, Payload: want.Payload, At: r.At})
	}
	t, err := scenarios.Value[thread](CheckpointFile, texts[CheckpointFile])
	if err != nil {
		t.Status = "unreadable"
	}
	o.Runs = append(o.Runs, *t.saved())
	return o
}
