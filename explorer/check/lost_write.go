package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// lost-write: every approved intent ends applied, refused, or with a person and a record of it; none is
// silently dropped.
//
// An intent without an effect is accounted for when a run that approved it was handed to a person and
// does not call it done. Not checked: whether handing it over was necessary (needless-person).
func lostWrite(o *Outcome, _ Settings) []history.Violation {
	var out []history.Violation
	for _, i := range approved(o) {
		if len(effectsOf(o, i.ID)) > 0 || accountedFor(o, i.ID) {
			continue
		}
		out = append(out, history.Violation{Invariant: "lost-write", Intent: i.ID,
			Detail: fmt.Sprintf("%s %s was approved, never made, and is with nobody (%s)", i.Tool, i.Subject, recordedAs(o, i.ID))})
	}
	return out
}

func accountedFor(o *Outcome, intent string) bool {
	for _, r := range o.Runs {
		if !hasIntent(r.Approved, intent) || r.Status != StatusPerson {
			continue
		}
		if op := operationOf(r, intent); op == nil || op.Status != history.OperationDone {
			return true
		}
	}
	return false
}

func recordedAs(o *Outcome, intent string) string {
	for n := len(o.Runs) - 1; n >= 0; n-- {
		if op := operationOf(o.Runs[n], intent); op != nil {
			return fmt.Sprintf("run %s is %s, recorded %s", o.Runs[n].Run, o.Runs[n].Status, op.Status)
		}
		if hasIntent(o.Runs[n].Approved, intent) {
			return fmt.Sprintf("run %s is %s, nothing recorded", o.Runs[n].Run, o.Runs[n].Status)
		}
	}
	return "no record"
}

// Statuses of a run that mean something to a judge.
const (
	StatusDone   = "done"
	StatusPerson = "handed_to_person"
)

// finalStatus reports whether a run's status never changes again.
func finalStatus(status string) bool {
	return status == StatusDone || status == StatusPerson || status == "stopped"
}
