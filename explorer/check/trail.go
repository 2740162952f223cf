package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// trail: the program's trail is whole, and complete: an approval and an end for every approved run, an
// attempt and an outcome for every effect of it.
//
// Not checked: the wording of entries, and runs that were never approved.
func trail(o *Outcome, _ Settings) []history.Violation {
	if o.NoTrail {
		return nil
	}
	if o.TrailBroken != "" {
		return one("trail", o.TrailBroken)
	}
	said := map[TrailEntry]bool{}
	for _, e := range o.Trail {
		said[e] = true
	}
	for _, r := range o.Runs {
		if len(r.Approved) > 0 && !said[TrailEntry{Run: r.Run, What: "approved"}] {
			return one("trail", fmt.Sprintf("run %s has an approval, and the trail has none", r.Run))
		}
		if len(r.Approved) > 0 && finalStatus(r.Status) && !said[TrailEntry{Run: r.Run, What: r.Status}] {
			return one("trail", fmt.Sprintf("run %s is %s, and the trail does not say so", r.Run, r.Status))
		}
		for _, op := range r.Operations {
			if op.Status != history.OperationPending && !said[TrailEntry{Run: r.Run, What: op.Status, OperationID: op.ID}] {
				return one("trail", fmt.Sprintf("operation %s is recorded as %s, and the trail does not say so", op.ID, op.Status))
			}
		}
	}
	return nil
}
