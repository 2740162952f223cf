package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// trail: the program's trail is whole, and complete: an approval and an end for every approved run, an outcome for
// every operation of it, and where the program records its attempts one entry for each of them.
//
// Not checked: the wording of entries, entries that contradict each other, and runs that were never approved.
func trail(o *Outcome, settings Settings) []history.Violation {
	if o.NoTrail {
		return nil
	}
	if o.TrailBroken != "" {
		return one("trail", o.TrailBroken)
	}
	said := map[TrailEntry]int{}
	for _, e := range o.Trail {
		said[e]++
	}
	for _, r := range o.Runs {
		if len(r.Approved) > 0 && said[TrailEntry{Run: r.Run, What: "approved"}] == 0 {
			return one("trail", fmt.Sprintf("run %s has an approval, and the trail has none", r.Run))
		}
		if len(r.Approved) > 0 && finalStatus(r.Status) && said[TrailEntry{Run: r.Run, What: r.Status}] == 0 {
			return one("trail", fmt.Sprintf("run %s is %s, and the trail does not say so", r.Run, r.Status))
		}
		for _, op := range r.Operations {
			if op.Status != history.OperationPending && said[TrailEntry{Run: r.Run, What: op.Status, OperationID: op.ID}] == 0 {
				return one("trail", fmt.Sprintf("operation %s is recorded as %s, and the trail does not say so", op.ID, op.Status))
			}
			if n := said[TrailEntry{Run: r.Run, What: "attempt", OperationID: op.ID}]; settings.TrailsAttempts && !tells(op, n) {
				return one("trail", fmt.Sprintf("operation %s has %d attempt(s) on record, the trail has %d", op.ID, op.Attempts, n))
			}
		}
	}
	return nil
}

// tells reports whether a number of entries is right for an operation. How many calls one took that is done matters to
// nobody any more, and is no part of a state.
func tells(op history.Operation, attempts int) bool {
	if op.Status == history.OperationDone {
		return attempts > 0
	}
	return attempts == op.Attempts
}
