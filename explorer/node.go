package explorer

import (
	"crypto/sha256"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// node is one merged state of the search: a durable state and the monitors' state, since many
// invariants speak of the past.
type node struct {
	// state and monitors are there until the node is expanded.
	state    State
	monitors check.Set
	key      string
	// plan is the first plan that led here: breadth first, so the smallest.
	plan faults.Plan
	// faults counts the events of that plan.
	faults int
	// restarts counts the lives that ended in an error since the last fault, without one.
	restarts int
	// edges lead to the states that one more fault reaches, one edge a plan; set once expanded.
	edges []edge
	// end is how the program ends if nothing more is injected, once known.
	end      *ending
	expanded bool
	// cut: a bound kept some of its edges from being found.
	cut bool
}

// edge is one more life: kills and faults added, or none where a life ended by itself in an error.
type edge struct {
	to   *node
	cost int
	paid int // model calls of the life
	life faults.Life
}

// ending is the undisturbed end of a node, judged.
type ending struct {
	person bool
	broken []history.Violation
	// effects counts those of the ledger, paid the model calls of the last life.
	effects, paid int
}

// atRest is the state of a program that ended by itself after other faults than kills: there is nothing
// left to run, only to judge. A life that never ends is one, too.
type atRest struct {
	State
	end history.End
	// endless is the incarnation's.
	endless string
}

// Key tells a program at rest from one that is to be started again from the same state.
func (a atRest) Key() string { return "at rest: " + string(a.end) + a.endless + "\n" + a.State.Key() }

// keys works out the identities of nodes.
type keys struct {
	state         State
	monitors, key string
	text          []byte // of use for the next key
}

// of returns a digest of both identities, the state's and the monitors': the texts themselves would fill
// the memory. Points that follow each other mostly leave the same state and the same monitors, so the
// latest one is kept.
func (k *keys) of(state State, m check.Set) string {
	monitors := m.Key()
	if k.state != state || k.monitors != monitors {
		k.text = append(append(append(k.text[:0], state.Key()...), '\n'), monitors...)
		sum := sha256.Sum256(k.text)
		k.state, k.monitors, k.key = state, monitors, string(sum[:])
	}
	return k.key
}
