package check

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the way to its content, a table's key says the content and nothing else.
func TestTable_KeyIsTheContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawnTable(t), drawnTable(t)
		if same := slices.Equal(a.held, b.held); same != (a.key() == b.key()) {
			t.Fatalf("%v has key %q, %v has key %q", a.held, a.key(), b.held, b.key())
		}
		fresh := newTable[string, int](strings.Compare)
		for _, e := range slices.Backward(a.held) {
			fresh.set(e.name, e.value)
		}
		if fresh.key() != a.key() {
			t.Fatalf("%v has key %q by another way %q", a.held, fresh.key(), a.key())
		}
	})
}

// A copy goes its own way.
func TestTable_Copy(t *testing.T) {
	a := newTable[string, int](strings.Compare)
	a.set("x", 1)
	b := a
	b.set("x", 2)
	if a.get("x") != 1 || b.get("x") != 2 || a.key() == b.key() {
		t.Errorf("%v with key %q, its copy %v with key %q", a.held, a.key(), b.held, b.key())
	}
}

func drawnTable(t *rapid.T) table[string, int] {
	out := newTable[string, int](strings.Compare)
	for range rapid.IntRange(0, 12).Draw(t, "changes") {
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
		if rapid.Bool().Draw(t, "drop") {
			out.drop(name)
		} else {
			out.set(name, rapid.IntRange(0, 2).Draw(t, "value"))
		}
	}
	return out
}
