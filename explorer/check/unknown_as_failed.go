package check

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// unknown-as-failed: an outcome that nobody has settled is not stored as failed, and (of programs that
// send keys) not tried again under a new key without proof that it did not happen.
//
// An intent is unsettled from the moment a request for it is sent until an answer says applied or
// refused, or a look-up that the program waited for long enough says what happened. Not checked: whether
// the service told the truth.
func newUnknownAsFailed(s Settings) Monitor {
	return &unknownAsFailed{asked: s.SendsKey, sent: newTable[string, string](strings.Compare), again: newTable[string, bool](strings.Compare)}
}

type unknownAsFailed struct {
	asked  bool
	sent   table[string, string] // unsettled intents, by the key they went out under
	again  table[string, bool]   // of these, the ones that were unsettled when they were sent once more
	broken string
}

func (m *unknownAsFailed) sees(e *history.Event) bool {
	return e.Request != nil && e.Request.Intent != "" && (e.Position == "before" || e.Position == "after") || isRecord(e) && len(m.sent.held) > 0
}

func (m *unknownAsFailed) See(e *history.Event) {
	if m.broken != "" {
		return
	}
	if r := e.Request; r != nil && r.Intent != "" {
		switch {
		case r.Write && e.Position == "before":
			if key := m.sent.get(r.Intent); m.sent.has(r.Intent) && m.asked && key != r.Key {
				m.broken = fmt.Sprintf("%s was tried under key %s and, unsettled, again under %s", r.What, key, r.Key)
			}
			if m.sent.has(r.Intent) {
				m.again.set(r.Intent, true)
			}
			m.sent.set(r.Intent, r.Key)
		case e.Position == "after" && settles(e, m.again.has(r.Intent)):
			m.sent.drop(r.Intent)
			m.again.drop(r.Intent)
		}
	}
	if e.Saved != nil && e.Position == "after" && e.Answer == history.Answered {
		for _, op := range e.Saved.Operations {
			if m.sent.has(op.ID) && op.Status == history.OperationFailed {
				m.broken = fmt.Sprintf("operation %s is recorded as failed, and nobody knows whether it happened", op.ID)
			}
		}
	}
}

// settles reports whether an answer says what became of every call so far. A 503 that promises that
// nothing changed says so of its own call alone.
func settles(e *history.Event, again bool) bool {
	switch e.Answer {
	case history.Applied, history.Refused, history.Found, history.NotFound:
		return true
	case history.UnavailableSafe:
		return !again
	}
	return false
}

func (m *unknownAsFailed) Copy() Monitor {
	c := *m
	return &c
}

func (m *unknownAsFailed) Key() string {
	return m.broken + "|" + m.sent.key() + "|" + m.again.key()
}

func (m *unknownAsFailed) Judge(*Outcome) []history.Violation {
	return one("unknown-as-failed", m.broken)
}
