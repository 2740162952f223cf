package check

import (
	"hash/maphash"
	"slices"
	"strconv"
)

// table is a monitor's memory: a value by name, of a run, an intent or a key. It keeps the identity of what it holds up to date as it
// changes, since keys are asked for at every point of every life.
//
// A change makes a new slice, so that a copy costs nothing: a search copies tables far more often than it
// changes them, and they are short.
type table[K, V comparable] struct {
	order func(a, b K) int
	held  []tableEntry[K, V] // by name
	sums  [2]uint64
}

type tableEntry[K, V comparable] struct {
	name  K
	value V
}

// newTable returns an empty table of names in an order.
func newTable[K, V comparable](order func(a, b K) int) table[K, V] { return table[K, V]{order: order} }

// find returns the place of a name, and whether it is there.
func (t *table[K, V]) find(name K) (int, bool) {
	return slices.BinarySearchFunc(t.held, name, func(e tableEntry[K, V], name K) int { return t.order(e.name, name) })
}

func (t *table[K, V]) has(name K) bool {
	_, ok := t.find(name)
	return ok
}

// get returns the value under a name, the zero value if there is none.
func (t *table[K, V]) get(name K) V {
	value, _ := t.look(name)
	return value
}

// look returns the value under a name, and whether there is one.
func (t *table[K, V]) look(name K) (value V, ok bool) {
	i, ok := t.find(name)
	if ok {
		value = t.held[i].value
	}
	return value, ok
}

func (t *table[K, V]) set(name K, value V) {
	i, ok := t.find(name)
	if ok && t.held[i].value == value {
		return
	}
	after := i
	if ok {
		t.add(t.held[i], false)
		after++
	}
	entry := tableEntry[K, V]{name, value}
	t.held = slices.Concat(t.held[:i], []tableEntry[K, V]{entry}, t.held[after:])
	t.add(entry, true)
}

func (t *table[K, V]) drop(name K) {
	if i, ok := t.find(name); ok {
		t.add(t.held[i], false)
		t.held = slices.Concat(t.held[:i], t.held[i+1:])
	}
}

// seeds are two, so that a chance collision is out of the question.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// add puts an entry into the sums, or takes it out: sums, so that a change costs the same however long the
// table is.
func (t *table[K, V]) add(e tableEntry[K, V], in bool) {
	for i, seed := range seeds {
		h := maphash.Comparable(seed, e)
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
