package explorer

import (
	"context"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// State is everything that survives a process: its stores, the world outside with its ledger, requests
// still under way, the clock.
//
// Key is its canonical identity: two states with one key have the same future under every plan, up to
// names of times, versions and tokens. A State is immutable and may be run from any number of times.
type State interface {
	Key() string
}

// World starts incarnations of one program.
//
// Concurrency: all methods may be called from several goroutines.
// Determinism: the same state and life give the same incarnation, byte for byte; the explorer runs each
// twice and reports ErrNotDeterministic when they differ.
type World interface {
	// Start returns the state before the first incarnation.
	Start(ctx context.Context) (State, error)
	// Run lives one incarnation from a state under one life of a plan, to a kill or its own end.
	//
	// Errors: only when the harness could not do its work, for example a kill that did not land. What
	// the program does wrong, also an error it ends with, is in the incarnation.
	Run(ctx context.Context, from State, life faults.Life) (Incarnation, error)
	// Outcome returns what the world has on record in a state, for the judge.
	Outcome(ctx context.Context, s State) (*check.Outcome, error)
	// Accepts reports whether a fault other than a kill means something at a site.
	Accepts(site faults.Site, verb faults.Verb) bool
}

// Incarnation is one life as it was lived.
type Incarnation struct {
	Life history.Life
	// Points are the points passed, in order, each once.
	Points []Passage
	// Next is the state that the next incarnation starts from.
	Next State
	// Unreached are the planned events that did not strike.
	Unreached []faults.Event
	// Endless says why the life would have gone on for ever, where the world had to end it and would have to
	// again; empty otherwise. It is no life to start again after.
	Endless string
}

// Passage is one point passed in a life.
type Passage struct {
	Point faults.Point
	// Events counts the life's events up to and with this passage.
	Events int
	// State is what a kill here leaves for the next incarnation; nil where a world must really kill to
	// find out.
	State State
	// Pending: other processes of the life have not come in yet, so a kill here would be a plan without
	// them.
	Pending bool
}

// Foresighted is a World whose states' identity depends on which faults a search may use: how old
// something is matters longer when a look-up may lag more. Explore tells it before Start.
type Foresighted interface {
	Foresee(faults []faults.Event)
}
