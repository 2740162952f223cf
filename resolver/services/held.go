package services

import (
	"context"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// Held is a request that a service has taken on and is still working on: its key is in flight. The key's
// claim is with the services, the request with whoever holds it.
type Held struct {
	claim provider.Claim[resolver.Action]
}

// Hold takes a write on without doing it, as a slow service does. It returns nil when the service answers
// at once, for example because the key is known. A held request that is never delivered is a claim whose
// service died; on most profiles it blocks its key for provider.OrphanAfter.
//
// Practice faults don't strike it.
func (w *World) Hold(ctx context.Context, c Caller, r resolver.WriteRequest) (*Held, error) {
	d := desk{world: w, caller: c}
	var held *Held
	err := w.store.update(ctx, func(t tables) error {
		claim, _, err := w.engine.Begin(t, d.request(ctx, r.Action.Tool, r))
		if claim != nil {
			held = &Held{claim: *claim}
		}
		return err
	})
	return held, err
}

// Deliver does the work of a held request and returns what its caller would be told.
//
// Errors: as the write's.
func (w *World) Deliver(ctx context.Context, h *Held) (resolver.Change, error) {
	var (
		answer provider.Answer
		made   Effect
	)
	err := w.store.update(ctx, func(t tables) (err error) {
		claim := h.claim
		if answer, err = w.engine.Finish(t, &claim, applyTo(t)); err != nil {
			return err
		}
		made, err = effectOf(t, answer)
		return err
	})
	if err != nil {
		return resolver.Change{}, err
	}
	return answered(answer, made)
}
