package scenarios

import (
	"context"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// Step is one call of a small program on a seam of its own.
type Step[T any] struct {
	Site faults.Site
	// Remote: the other side may be another process, so the points during the call exist.
	Remote bool
	// Payload is what a late delivery has to send; nil where there is none.
	Payload any
	// Before and After add to the events what only this seam knows.
	Before func(*history.Event)
	After  func(*history.Event, T, error)
	// Do makes the call, the n-th of its site in this life.
	Do func(ctx context.Context, n int) (T, error)
}

// Take makes one call past its points.
//
// Errors: the call's own; resolver.ErrTimeout when a fault of the plan left it without an answer;
// faults.ErrCrashed, the call not made, when the life is over.
func Take[T any](ctx context.Context, seat *seams.Seat, s Step[T]) (T, error) {
	var result T
	call, err := seat.Injector.Enter(s.Site)
	if err != nil {
		return result, err
	}
	pass(seat, call, faults.Before, s.Site, s.Before)
	if s.Remote && !seat.Remote {
		pass(seat, call, faults.DuringLost, s.Site, s.Before)
		result, err = strike(ctx, seat, s, call)
	} else {
		result, err = s.Do(ctx, call.N())
	}
	pass(seat, call, faults.After, s.Site, func(e *history.Event) {
		if s.Before != nil {
			s.Before(e)
		}
		e.Answer = seams.Answer(err)
		if s.After != nil {
			s.After(e, result, err)
		}
	})
	return result, err
}

// strike does the work of a remote call, unless a fault of the plan makes something else of it, and
// passes the point at which it is done.
func strike[T any](ctx context.Context, seat *seams.Seat, s Step[T], call faults.Call) (T, error) {
	var result T
	var err error
	fault, struck := call.Fault()
	switch {
	case !struck:
		result, err = s.Do(ctx, call.N())
	case fault.Verb == faults.LoseRequest:
		err = resolver.ErrTimeout
	case fault.Verb == faults.Unavailable:
		result, err = s.Do(provider.WithKnobs(ctx, provider.Knobs{Trouble: provider.UnavailableBefore}), call.N())
	case fault.Verb == faults.Refuse:
		result, err = s.Do(provider.WithKnobs(ctx, provider.Knobs{Trouble: provider.Refuse}), call.N())
	case fault.Verb == faults.DeliverLate && seat.Late != nil && s.Payload != nil:
		seat.Late(fault.Duration, s.Site, s.Payload)
		err = resolver.ErrTimeout
	default: // lose-response
		_, _ = s.Do(ctx, call.N())
		err = resolver.ErrTimeout
	}
	pass(seat, call, faults.During, s.Site, func(e *history.Event) {
		if s.Before != nil {
			s.Before(e)
		}
		if struck {
			e.Injected = string(fault.Verb)
		}
	})
	return result, err
}

// pass records the passage of one point, then lets the plan strike there.
func pass(seat *seams.Seat, c faults.Call, pos faults.Position, site faults.Site, fill func(*history.Event)) {
	e := history.Event{Seam: site.Seam, Operation: site.Operation, Position: pos.String(), Call: c.N(), At: seat.Now()}
	if fill != nil {
		fill(&e)
	}
	seat.Record(e)
	c.At(pos)
}
