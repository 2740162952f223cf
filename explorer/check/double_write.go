package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// double-write: at most one effect of one intent, whichever run, approval or request carries it.
//
// Checked from the ledger alone, and for the closing note of a run, which is a change, too. Not checked: effects of intents that nobody approved (unapproved-write),
// and two intents that mean the same to the customer (same-reason).
func doubleWrite(o *Outcome, _ Settings) []history.Violation {
	var out []history.Violation
	for _, i := range approved(o) {
		if effects := effectsOf(o, i.ID); len(effects) > 1 {
			out = append(out, history.Violation{Invariant: "double-write", Intent: i.ID,
				Detail: fmt.Sprintf("%s %s was made %d times: %s", i.Tool, i.Subject, len(effects), recordList(effects))})
		}
	}
	for _, r := range o.Runs {
		if n := o.Notes[r.Run]; n > 1 {
			out = append(out, history.Violation{Invariant: "double-write", Detail: fmt.Sprintf("the end of run %s is noted %d times in its ticket", r.Run, n)})
		}
	}
	return out
}

func recordList(effects []history.Effect) string {
	text := ""
	for i, e := range effects {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s for %s", e.RecordID, e.OperationID)
	}
	return text
}
