package check

import (
	"fmt"
	"sort"
	"strconv"

	"github.com/paytwice/paytwice/explorer/history"
)

// key-payload: one key, one payload, in both directions: a key never carries another payload, and an
// intent is never sent under a second key.
//
// Asked only of programs that send keys. A request without a key is not looked at.
func newKeyPayload(s Settings) Monitor {
	return &keyPayload{asked: s.SendsKey, payloads: map[string]string{}, keys: map[string]string{}}
}

type keyPayload struct {
	asked    bool
	payloads map[string]string // by key
	keys     map[string]string // by intent
	broken   string
}

func (m *keyPayload) sees(e *history.Event) bool { return m.asked && isCall(e) }

func (m *keyPayload) See(e *history.Event) {
	r := e.Request
	if !m.asked || r == nil || !r.Write || r.Key == "" || r.Undoes != "" || e.Position != "before" || m.broken != "" {
		return
	}
	if earlier, ok := m.payloads[r.Key]; ok && earlier != r.Payload {
		m.broken = fmt.Sprintf("key %s carried %s, then %s", r.Key, earlier, r.Payload)
	}
	if earlier, ok := m.keys[r.Intent]; ok && earlier != r.Key {
		m.broken = fmt.Sprintf("%s went out under key %s, then under %s", r.What, earlier, r.Key)
	}
	m.payloads[r.Key], m.keys[r.Intent] = r.Payload, r.Key
}

func (m *keyPayload) Copy() Monitor {
	c := *m
	c.payloads, c.keys = copyMap(m.payloads), copyMap(m.keys)
	return &c
}

func (m *keyPayload) Key() string {
	return m.broken + "|" + joinMap(m.payloads) + "|" + joinMap(m.keys)
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

func copyMap[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// joinMap returns a map in canonical form. Quoted, so that no name can look like two.
func joinMap[V any](m map[string]V) string {
	if len(m) == 0 {
		return ""
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b []byte
	for _, k := range keys {
		b = append(strconv.AppendQuote(b, k), '=')
		b = append(appendValue(b, m[k]), ';')
	}
	return string(b)
}

// appendValue is %#v for the few types that monitors keep, without the cost of fmt: keys are asked for at
// every point of every life.
func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return strconv.AppendQuote(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case bool:
		return strconv.AppendBool(b, v)
	}
	return fmt.Appendf(b, "%#v", value)
}
