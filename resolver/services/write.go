package services

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// write has one request answered. The use of a fault, the key's record, the change and the ledger line
// are one transaction.
func (d desk) write(ctx context.Context, tool resolver.Tool, w resolver.WriteRequest) (resolver.Change, error) {
	var (
		answer provider.Answer
		made   Effect
		struck *strike
	)
	request := d.request(ctx, tool, w)
	err := d.world.store.update(ctx, func(t tables) (err error) {
		if struck, err = d.strike(t, string(tool)); err != nil {
			return err
		}
		if struck != nil {
			request.Knobs.Trouble = struck.trouble
		}
		if answer, err = d.world.engine.Do(t, request, applyTo(t)); err != nil {
			return err
		}
		made, err = effectOf(t, answer)
		return err
	})
	if err != nil {
		return resolver.Change{}, err
	}
	change, err := answered(answer, made)
	return change, struck.wrap(err)
}

func (d desk) request(ctx context.Context, tool resolver.Tool, w resolver.WriteRequest) provider.Request[resolver.Action] {
	return provider.Request[resolver.Action]{
		Key: w.Key, Tool: string(tool), Caller: d.ticket(w.TicketID), Payload: w.Action, Knobs: provider.KnobsFrom(ctx),
	}
}

func applyTo(t tables) provider.Apply[resolver.Action] {
	return func(e Effect) (string, error) { return apply(t, e) }
}

// effectOf returns the ledger line that an answer speaks of, or nothing.
func effectOf(t tables, a provider.Answer) (Effect, error) {
	if a.Seq == 0 {
		return Effect{}, nil
	}
	ledger, err := t.Effects()
	if err != nil {
		return Effect{}, err
	}
	return ledger[a.Seq-1], nil
}

// answered returns what a caller is told. What was done is shown, not what was asked: a service that
// compares no payloads answers a used key with another request's change, and the caller must be able to
// see that.
func answered(a provider.Answer, made Effect) (resolver.Change, error) {
	if err := answerError(a); err != nil {
		return resolver.Change{}, err
	}
	c := change(made)
	c.Repeated = a.Repeated
	return c, nil
}

func (d desk) ticket(id string) string {
	if id == "" {
		return d.caller.TicketID
	}
	return id
}

// answerError returns an answer that is no success as the error that a client makes of it. A 500 leaves
// the outcome unknown on every profile, so it is no ErrUnavailable.
func answerError(a provider.Answer) error {
	switch {
	case a.OK():
		return nil
	case a.Status == 0:
		return resolver.ErrTimeout
	case a.Status == 500:
		return fmt.Errorf("%w: the service answered 500", resolver.ErrTimeout)
	case a.Status == 503:
		return resolver.ErrUnavailable
	case a.Status == 409 && a.Code != "key_reused":
		return resolver.ErrInFlight
	}
	return &resolver.RefusedError{Code: a.Code, Message: a.Message}
}
