package check

import (
	"hash/maphash"
	"maps"
	"strconv"
)

// table is a monitor's memory: a value by name, of a run, an intent or a key. It keeps the identity of what it holds up to date as it
// changes, since keys are asked for at every point of every life.
type table[K, V comparable] struct {
	held map[K]V
	sums [2]uint64
}

func newTable[K, V comparable]() table[K, V] { return table[K, V]{held: map[K]V{}} }

func (t *table[K, V]) has(name K) bool {
	_, ok := t.held[name]
	return ok
}

// get returns the value under a name, the zero value if there is none.
func (t *table[K, V]) get(name K) V { return t.held[name] }

func (t *table[K, V]) set(name K, value V) {
	earlier, ok := t.held[name]
	if ok && earlier == value {
		return
	}
	if ok {
		t.add(name, earlier, false)
	}
	t.held[name] = value
	t.add(name, value, true)
}

func (t *table[K, V]) drop(name K) {
	if earlier, ok := t.held[name]; ok {
		t.add(name, earlier, false)
		delete(t.held, name)
	}
}

// seeds are two, so that a chance collision is out of the question.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

type tableEntry[K, V comparable] struct {
	name  K
	value V
}

// add puts an entry into the sums, or takes it out: sums, so that the order of entries does not matter.
func (t *table[K, V]) add(name K, value V, in bool) {
	for i, seed := range seeds {
		h := maphash.Comparable(seed, tableEntry[K, V]{name, value})
		if in {
			t.sums[i] += h
		} else {
			t.sums[i] -= h
		}
	}
}

// key returns the table's identity within this process.
func (t *table[K, V]) key() string {
	if len(t.held) == 0 {
		return ""
	}
	b := strconv.AppendInt(make([]byte, 0, 48), int64(len(t.held)), 10)
	for _, sum := range t.sums {
		b = strconv.AppendUint(append(b, ' '), sum, 16)
	}
	return string(b)
}

func (t *table[K, V]) copy() table[K, V] { return table[K, V]{maps.Clone(t.held), t.sums} }
