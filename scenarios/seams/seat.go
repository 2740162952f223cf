// Package seams wraps the interfaces that the resolver needs anyway, so that every call on them passes
// crash points and leaves events: the core has no line of fault code.
//
// A wrapper injects faults and tells what happened; it changes nothing else. Where the other side of a
// seam is another process, the points during a call are passed and struck there.
//
// It imports resolver, faults and explorer/history.
package seams

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// Seat is one incarnation's place in the harness.
type Seat struct {
	Injector *faults.Injector
	// Now is the virtual clock.
	Now func() time.Time
	// Record takes each event in order.
	Record func(history.Event)
	// Remote says that services and model are in another process, which passes and strikes the points
	// during a call itself.
	Remote bool
	// Late takes a write that is delivered later than it was sent; the machine knows how.
	Late func(d time.Duration, site faults.Site, payload any)
	// Calls tells the transport the number of the call under way.
	Calls *Calls
}

// Calls holds the number of the latest call of each site, for a client that has to name it to the other
// side.
type Calls struct{ n map[faults.Site]int }

// NewCalls returns no calls.
func NewCalls() *Calls { return &Calls{map[faults.Site]int{}} }

// Number returns the number of the latest call of a site.
func (c *Calls) Number(seam, operation string) int {
	return c.n[faults.Site{Seam: seam, Operation: operation}]
}

// call describes one call on a seam for through.
type call[T any] struct {
	site faults.Site
	// remote: the other side may be another process, so the points during the call exist.
	remote bool
	// payload is what a late delivery has to send, for a call that changes something; nil for others.
	payload any
	// before and after add to the events what only this seam knows.
	before func(*history.Event)
	after  func(*history.Event, T, error)
	do     func(context.Context) (T, error)
}

// through makes one call past its points.
func through[T any](ctx context.Context, s *Seat, c call[T]) (T, error) {
	var result T
	entered, err := s.Injector.Enter(c.site)
	if err != nil {
		return result, err
	}
	if s.Calls != nil {
		s.Calls.n[c.site] = entered.N()
	}
	s.pass(entered, faults.Before, c.site, c.before)
	if c.remote && !s.Remote {
		s.pass(entered, faults.DuringLost, c.site, c.before)
		result, err = strike(ctx, s, c, entered)
	} else {
		result, err = c.do(ctx)
	}
	s.pass(entered, faults.After, c.site, func(e *history.Event) {
		if c.before != nil {
			c.before(e)
		}
		e.Answer = Answer(err)
		if c.after != nil {
			c.after(e, result, err)
		}
	})
	return result, err
}

// strike does the work of a remote call, unless a fault of the plan makes something else of it, and
// passes the point at which it is done.
func strike[T any](ctx context.Context, s *Seat, c call[T], entered faults.Call) (T, error) {
	var result T
	var err error
	fault, struck := entered.Fault()
	switch {
	case !struck:
		result, err = c.do(ctx)
	case fault.Verb == faults.LoseRequest:
		err = resolver.ErrTimeout
	case fault.Verb == faults.Unavailable:
		result, err = c.do(provider.WithKnobs(ctx, provider.Knobs{Trouble: provider.UnavailableBefore}))
	case fault.Verb == faults.Refuse:
		result, err = c.do(provider.WithKnobs(ctx, provider.Knobs{Trouble: provider.Refuse}))
	case fault.Verb == faults.Lag:
		result, err = c.do(provider.WithKnobs(ctx, provider.Knobs{Lag: fault.Duration}))
	case fault.Verb == faults.DeliverLate && s.Late != nil && c.payload != nil:
		s.Late(fault.Duration, c.site, c.payload)
		err = resolver.ErrTimeout
	default: // lose-response
		_, _ = c.do(ctx)
		err = resolver.ErrTimeout
	}
	s.pass(entered, faults.During, c.site, func(e *history.Event) {
		if c.before != nil {
			c.before(e)
		}
		if struck {
			e.Injected = string(fault.Verb)
		}
	})
	return result, err
}

// drafts are events to be filled in; each is copied when it is recorded.
var drafts = sync.Pool{New: func() any { return new(history.Event) }}

// pass records the passage of one point, then lets the plan strike there.
func (s *Seat) pass(c faults.Call, pos faults.Position, site faults.Site, fill func(*history.Event)) {
	e := drafts.Get().(*history.Event)
	*e = history.Event{Seam: site.Seam, Operation: site.Operation, Position: pos.String(), Call: c.N(), At: s.Now()}
	if fill != nil {
		fill(e)
	}
	s.Record(*e)
	drafts.Put(e)
	c.At(pos)
}

// Answer returns what an error of a call means, as events say it.
func Answer(err error) string {
	var refused *resolver.RefusedError
	switch {
	case err == nil:
		return history.Answered
	case errors.As(err, &refused):
		return history.Refused
	case errors.Is(err, resolver.ErrTimeout):
		return history.NoAnswer
	case errors.Is(err, resolver.ErrUnavailable):
		return history.Unavailable
	case errors.Is(err, resolver.ErrInFlight):
		return history.InFlight
	default:
		return history.Errored
	}
}
