package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// same-reason: never two refunds for the same reason on one order, across runs and colleagues.
//
// Two refunds of different intents count, and only when the later one is the program's own: what a
// colleague does afterwards is not the program's doing. Not checked: two refunds of one intent
// (double-write).
func sameReason(o *Outcome, _ Settings) []history.Violation {
	var out []history.Violation
	mine := map[string]bool{}
	for _, i := range approved(o) {
		mine[i.ID] = true
	}
	for n, later := range o.Ledger {
		if later.AmountCents == 0 || later.Reversed || !mine[later.Intent] {
			continue
		}
		for _, earlier := range o.Ledger[:n] {
			if earlier.AmountCents > 0 && !earlier.Reversed && earlier.Subject == later.Subject &&
				earlier.Reason == later.Reason && earlier.Intent != later.Intent {
				out = append(out, history.Violation{Invariant: "same-reason",
					Detail: fmt.Sprintf("%s and %s both refund %s for %s", earlier.RecordID, later.RecordID, later.Subject, later.Reason)})
				break
			}
		}
	}
	return out
}
