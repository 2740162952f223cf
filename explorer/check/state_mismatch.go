package check

import (
	"cmp"
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// state-mismatch: what the program has on record equals what the service has.
//
// An operation recorded as failed must have no effect; one recorded as done must name a record of the
// ledger that says what was approved, unless the program records it before it knows one; a run that is done
// may have nothing pending. Missing and doubled effects are left to lost-write and double-write. Not checked:
// whether a record was read back after the call. No fault here makes a service keep another record than it
// answers, so no plan tells.
func stateMismatch(o *Outcome, settings Settings) []history.Violation {
	var out []history.Violation
	for _, r := range o.Runs {
		for _, op := range r.Operations {
			if why := mismatch(o, r, op, settings); why != "" {
				out = append(out, history.Violation{Invariant: "state-mismatch",
					Detail: fmt.Sprintf("run %s, operation %s: %s", r.Run, op.ID, why)})
			}
		}
	}
	return out
}

func mismatch(o *Outcome, r history.Saved, op history.Operation, settings Settings) string {
	effects := effectsOf(o, op.ID)
	switch op.Status {
	case history.OperationFailed:
		if len(effects) > 0 {
			return "recorded as failed, and " + effects[0].RecordID + " is there"
		}
	case history.OperationDone:
		if len(effects) == 0 || op.RecordID == "" && !settings.NamesRecords {
			return ""
		}
		for _, e := range effects {
			if e.RecordID == op.RecordID {
				return ""
			}
		}
		return fmt.Sprintf("recorded as done by %s, the ledger has %s", cmp.Or(op.RecordID, "no record"), effects[0].RecordID)
	case history.OperationPending:
		if r.Status == StatusDone {
			return "the run is done, and the operation is recorded as pending"
		}
	}
	return ""
}
