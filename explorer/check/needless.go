package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// needless-person: a person is asked only when nobody else can decide.
//
// Needless is a person although no fault was injected, or although fewer calls than the bound are on
// record and asking the service, or its key, could have settled the matter. A refusal by the service or
// by the program's own check before a call is a reason, and so is somebody else's refund for the same
// reason. Not checked: persons the model asked for, where nothing was approved.
func newNeedless(s Settings) Monitor {
	return &needless{settings: s, refused: newTable[string, bool](strings.Compare)}
}

type needless struct {
	settings  Settings
	disturbed bool
	refused   table[string, bool]
}

func (m *needless) sees(e *history.Event) bool {
	return e.Injected != "" && !m.disturbed || e.Answer == history.Refused
}

func (m *needless) See(e *history.Event) {
	if e.Injected != "" {
		m.disturbed = true
	}
	if r := e.Request; r != nil && r.Write && e.Position == "after" && e.Answer == history.Refused {
		m.refused.set(r.Intent, true)
	}
}

func (m *needless) Copy() Monitor {
	c := *m
	return &c
}

func (m *needless) Key() string {
	return strconv.FormatBool(m.disturbed) + "|" + m.refused.key()
}

func (m *needless) Judge(o *Outcome) []history.Violation {
	var out []history.Violation
	for _, r := range o.Runs {
		if r.Status != StatusPerson || len(r.Approved) == 0 {
			continue
		}
		if why := m.why(o, r); why != "" {
			out = append(out, history.Violation{Invariant: "needless-person", Detail: fmt.Sprintf("run %s: %s", r.Run, why)})
		}
	}
	return out
}

func (m *needless) why(o *Outcome, r history.Saved) string {
	reason := false
	for _, op := range r.Operations {
		switch {
		case op.Status == history.OperationDone:
		case op.Status == history.OperationFailed && (m.refused.has(op.ID) || op.Attempts == 0):
			reason = true
		case madeByOther(o, r, op.ID):
			reason = true // another call could only have paid twice for one reason
		case op.Attempts < m.settings.MaxCalls && (m.settings.Lookup || m.settings.Keys && m.settings.SendsKey) && !op.Differs:
			return fmt.Sprintf("operation %s went to a person after %d call(s), and asking could have settled it", op.ID, op.Attempts)
		default:
			reason = true
		}
	}
	if !reason && !m.disturbed {
		return "no fault was injected, nothing was refused, and a person was asked"
	}
	if !reason {
		return "every operation is done, and a person was asked"
	}
	return ""
}

// madeByOther reports whether somebody else's refund of the same order for the same reason stands.
func madeByOther(o *Outcome, r history.Saved, intent string) bool {
	for _, i := range r.Approved {
		for _, e := range o.Ledger {
			if i.ID == intent && e.Intent != intent && e.AmountCents > 0 && !e.Reversed && e.Subject == i.Subject && e.Reason == i.Reason {
				return true
			}
		}
	}
	return false
}
