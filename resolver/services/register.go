package services

import (
	"context"
	"errors"
	"slices"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// register is the side of a service that says what became of a write; it shows its own tools' changes.
type register struct {
	desk
	tools []resolver.Tool
}

// Capabilities implements [resolver.Register].
func (r register) Capabilities() resolver.Capabilities {
	return resolver.Capabilities(r.world.engine.Profile.Capabilities())
}

// Operation implements [resolver.Register].
func (r register) Operation(ctx context.Context, operationID string) (resolver.Change, bool, error) {
	return r.first(ctx, func(e *Effect) bool { return e.Operation == operationID })
}

// ReadBack implements [resolver.Register].
func (r register) ReadBack(ctx context.Context, recordID string) (resolver.Change, bool, error) {
	return r.first(ctx, func(e *Effect) bool { return e.Record == recordID })
}

// RecentChanges implements [resolver.Register].
func (r register) RecentChanges(ctx context.Context, orderID string) ([]resolver.Change, error) {
	shown, err := r.look(ctx, func(e *Effect) bool { return e.Payload.OrderID == orderID })
	return changes(shown), err
}

func (r register) first(ctx context.Context, wanted func(*Effect) bool) (resolver.Change, bool, error) {
	shown, err := r.look(ctx, wanted)
	if err != nil || len(shown) == 0 {
		return resolver.Change{}, false, err
	}
	return change(shown[0]), true, nil
}

// look returns what a look-up shows now of the changes that are wanted.
func (r register) look(ctx context.Context, wanted func(*Effect) bool) (shown []Effect, err error) {
	err = r.world.store.view(ctx, func(t tables) (err error) {
		shown, err = r.world.engine.Look(t, provider.KnobsFrom(ctx), func(e *Effect) bool {
			return wanted(e) && slices.Contains(r.tools, e.Payload.Tool)
		})
		return err
	})
	if errors.Is(err, provider.ErrNoLookup) {
		return nil, &resolver.RefusedError{Code: "no_lookup", Message: err.Error()}
	}
	return shown, err
}
