package provider

import (
	"context"
	"time"
)

// Trouble is what goes wrong with one request.
type Trouble string

const (
	// NoTrouble: nothing.
	NoTrouble Trouble = ""
	// LoseBefore: nothing is done, and no answer comes.
	LoseBefore Trouble = "lose-before"
	// LoseAfter: everything is done, and no answer comes.
	LoseAfter Trouble = "lose-after"
	// UnavailableBefore: 503 from in front of the service; the request was not started.
	UnavailableBefore Trouble = "503-before"
	// UnavailableAfter: the change is made, then the answer is 503.
	UnavailableAfter Trouble = "503-after"
	// ErrorBefore: the request is started and fails with 500; nothing is changed.
	ErrorBefore Trouble = "500-before"
	// ErrorAfter: the change is made, then the answer is 500.
	ErrorAfter Trouble = "500-after"
	// Refuse: a definite no.
	Refuse Trouble = "refuse"
	// FailLater: the change is made and confirmed, and is taken back after Knobs.FailAfter.
	FailLater Trouble = "fail-later"
)

// Troubles lists what can go wrong, NoTrouble left out.
func Troubles() []Trouble {
	return []Trouble{LoseBefore, LoseAfter, UnavailableBefore, UnavailableAfter, ErrorBefore, ErrorAfter, Refuse, FailLater}
}

// Knobs says what goes wrong with one request. It travels with that request and is never a setting of
// the service, so two requests at the same time can't disturb each other.
type Knobs struct {
	Trouble Trouble
	// FailAfter is how long a change stands that fails later; 0 means that it fails at once, after its
	// confirmation.
	FailAfter time.Duration
	// Lag is added to the look-up's lag: on a write for the change it makes, on a look-up for all.
	Lag time.Duration
}

type knobsKey struct{}

// WithKnobs returns a context that carries knobs to the service it is used with.
func WithKnobs(ctx context.Context, k Knobs) context.Context {
	return context.WithValue(ctx, knobsKey{}, k)
}

// KnobsFrom returns the knobs that a context carries, or none.
func KnobsFrom(ctx context.Context) Knobs {
	k, _ := ctx.Value(knobsKey{}).(Knobs)
	return k
}
