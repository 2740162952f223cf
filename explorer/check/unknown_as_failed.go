package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// unknown-as-failed: an outcome that nobody has settled is not stored as failed, and (of programs that
// send keys) not tried again under a new key without proof that it did not happen.
//
// An intent is unsettled from the moment a request for it is sent until an answer says applied or
// refused, or a look-up that the program waited for long enough says what happened. Not checked: whether
// the service told the truth.
func newUnknownAsFailed(s Settings) Monitor {
	return &unknownAsFailed{asked: s.SendsKey, sent: map[string]string{}}
}

type unknownAsFailed struct {
	asked  bool
	sent   map[string]string // unsettled intents, by the key they went out under
	broken string
}

func (m *unknownAsFailed) See(e *history.Event) {
	if m.broken != "" {
		return
	}
	if r := e.Request; r != nil && r.Intent != "" {
		switch {
		case r.Write && e.Position == "before":
			if key, open := m.sent[r.Intent]; open && m.asked && key != r.Key {
				m.broken = fmt.Sprintf("%s was tried under key %s and, unsettled, again under %s", r.What, key, r.Key)
			}
			m.sent[r.Intent] = r.Key
		case e.Position == "after" && settles(e):
			delete(m.sent, r.Intent)
		}
	}
	if e.Saved != nil && e.Position == "after" && e.Answer == history.Answered {
		for _, op := range e.Saved.Operations {
			if _, open := m.sent[op.ID]; open && op.Status == history.OperationFailed {
				m.broken = fmt.Sprintf("operation %s is recorded as failed, and nobody knows whether it happened", op.ID)
			}
		}
	}
}

func settles(e *history.Event) bool {
	switch e.Answer {
	case history.Applied, history.Refused, history.Found, history.NotFound, history.UnavailableSafe:
		return true
	}
	return false
}

func (m *unknownAsFailed) Copy() Monitor {
	c := *m
	c.sent = copyMap(m.sent)
	return &c
}

func (m *unknownAsFailed) Key() string { return m.broken + "|" + joinMap(m.sent) }

func (m *unknownAsFailed) Judge(*Outcome) []history.Violation {
	return one("unknown-as-failed", m.broken)
}
