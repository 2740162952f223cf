package check

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// key-payload: one key, one payload, in both directions: a key never carries another payload, and an
// intent is never sent under a second key.
//
// Asked only of programs that send keys. A request without a key is not looked at.
func newKeyPayload(s Settings) Monitor {
	return &keyPayload{asked: s.SendsKey, payloads: newTable[string, string](strings.Compare), keys: newTable[string, string](strings.Compare)}
}

type keyPayload struct {
	asked    bool
	payloads table[string, string] // by key
	keys     table[string, string] // by intent
	broken   string
}

func (m *keyPayload) sees(e *history.Event) bool { return m.asked && isCall(e) }

func (m *keyPayload) See(e *history.Event) {
	r := e.Request
	if !m.asked || r == nil || !r.Write || r.Key == "" || r.Undoes != "" || e.Position != "before" || m.broken != "" {
		return
	}
	if earlier := m.payloads.get(r.Key); m.payloads.has(r.Key) && earlier != r.Payload {
		m.broken = fmt.Sprintf("key %s carried %s, then %s", r.Key, earlier, r.Payload)
	}
	if earlier := m.keys.get(r.Intent); m.keys.has(r.Intent) && earlier != r.Key {
		m.broken = fmt.Sprintf("%s went out under key %s, then under %s", r.What, earlier, r.Key)
	}
	m.payloads.set(r.Key, r.Payload)
	m.keys.set(r.Intent, r.Key)
}

func (m *keyPayload) Copy() Monitor {
	c := *m
	return &c
}

func (m *keyPayload) Key() string {
	return m.broken + "|" + m.payloads.key() + "|" + m.keys.key()
}

func (m *keyPayload) Judge(*Outcome) []history.Violation {
	return one("key-payload", m.broken)
}

func one(invariant, detail string) []history.Violation {
	if detail == "" {
		return nil
	}
	return []history.Violation{{Invariant: invariant, Detail: detail}}
}
