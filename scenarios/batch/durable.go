package batch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/scenarios"
)

// Charges returns the ids in the log of a state, in the order of the charges.
func Charges(s explorer.State) []string { return charges(scenarios.TextsOf(s)) }

func charges(texts map[string]string) []string { return strings.Fields(texts[ChargesFile]) }

// canonical is the log as a count per order, since nobody asks in which order they were charged, and the
// progress as it is.
func (f Form) canonical(texts map[string]string, _ time.Time) string {
	lines := charges(texts)
	slices.Sort(lines)
	return fmt.Sprintf("progress %s\ncharges %v", texts[ProgressFile], lines)
}

// outcome is the log as the ledger, and the progress file as the program's record. The task is told to
// charge the five orders; nobody approves them one by one.
func (f Form) outcome(texts map[string]string, now time.Time) *check.Outcome {
	o := &check.Outcome{NoTrail: true}
	for _, id := range Orders() {
		o.Intents = append(o.Intents, history.Intent{ID: id, Tool: "charge", Subject: id, Payload: id})
	}
	for n, id := range charges(texts) {
		o.Ledger = append(o.Ledger, history.Effect{Seq: n + 1, Tool: "charge", Intent: id, OperationID: id,
			RecordID: fmt.Sprintf("line-%d", n+1), Subject: id, Payload: id, At: now})
	}
	if !f.Progress {
		return o
	}
	p, err := scenarios.Value[Progress](ProgressFile, texts[ProgressFile])
	if err != nil {
		o.Runs = append(o.Runs, history.Saved{Run: "batch", Status: "unreadable"})
		return o
	}
	o.Runs = append(o.Runs, *p.saved())
	return o
}
