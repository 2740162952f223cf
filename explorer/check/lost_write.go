package check

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// lost-write: every approved intent ends applied, refused, or with a person and a record of it; none is
// silently dropped.
//
// An intent without an effect is accounted for when a run that approved it was handed to a person and
// does not call it done, and when its effect was taken back by the service after it had been recorded as
// done: that is no doing of the program's. Not checked: whether handing it over was necessary
// (needless-person), and the note in the ticket that says how a run ended, which is no change of the customer's.
func newLostWrite(Settings) Monitor {
	return &lost{recorded: newTable[string, bool](strings.Compare), takenBack: newTable[string, bool](strings.Compare)}
}

type lost struct {
	recorded  table[string, bool] // intents recorded as done
	takenBack table[string, bool] // those whose effect was taken back afterwards
	noted     *history.Saved      // the latest record that See was told of
}

func (m *lost) sees(e *history.Event) bool {
	return isRecord(e) && anyNews(e.Saved, m.noted, func(op *history.Operation) bool { return op.Status == history.OperationDone && !m.recorded.has(op.ID) }) ||
		e.Answer == history.TakenBack
}

func (m *lost) See(e *history.Event) {
	if isRecord(e) {
		m.noted = e.Saved
		for _, op := range e.Saved.Operations {
			if op.Status == history.OperationDone {
				m.recorded.set(op.ID, true)
			}
		}
	}
	if e.Answer == history.TakenBack && e.Request != nil && m.recorded.has(e.Request.Intent) {
		m.takenBack.set(e.Request.Intent, true)
	}
}

func (m *lost) Copy() Monitor {
	c := *m
	return &c
}

func (m *lost) Key() string { return m.recorded.key() + "|" + m.takenBack.key() }

func (m *lost) Judge(o *Outcome) []history.Violation {
	var out []history.Violation
	for _, i := range approved(o) {
		if len(effectsOf(o, i.ID)) > 0 || m.takenBack.has(i.ID) || accountedFor(o, i.ID) {
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

	statusWaiting = "waiting_approval"
)

// finalStatus reports whether a run's status never changes again.
func finalStatus(status string) bool {
	return status == StatusDone || status == StatusPerson || status == "stopped"
}
