package check

import (
	"fmt"
	"hash/maphash"
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

// joinMap returns a map's identity within this process: small maps in words, larger ones as two sums over
// their entries, since keys are asked for at every point of every life.
func joinMap[V comparable](m map[string]V) string {
	if len(m) == 0 {
		return ""
	}
	if len(m) > mostInWords {
		return sumMap(m)
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

// mostInWords is the largest map that a key spells out.
const mostInWords = 2

// seeds are two, so that a chance collision is out of the question.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

type mapEntry[V comparable] struct {
	key   string
	value V
}

func sumMap[V comparable](m map[string]V) string {
	var sums [2]uint64
	for k, v := range m {
		for i, seed := range seeds {
			sums[i] += maphash.Comparable(seed, mapEntry[V]{k, v})
		}
	}
	return fmt.Sprintf("%d entries %x %x", len(m), sums[0], sums[1])
}

// appendValue is %#v for the few types that monitors keep, without the cost of fmt.
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
