package resolver

import (
	"context"
	"fmt"
	"time"
)

// maxAsks bounds the questions about one uncertain outcome when the service doesn't answer them.
const maxAsks = 3

// finding is what a look-up settles.
type finding int

const (
	nobodyKnows finding = iota
	happened
	didNotHappen
)

// reconcile finds out what became of an earlier call before another is made. Settled true means that the
// operation needs no further call: it is recorded as done, or handed over.
//
// Source: lesson "Side effects and retries", reconciliation.
func (e *execution) reconcile(ctx context.Context, op *Operation) (settled bool, err error) {
	switch e.Strategy.Ask {
	case AskByID:
		return e.reconcileByID(ctx, op)
	case AskByArguments:
		return e.reconcileByArguments(ctx, op)
	}
	return false, nil
}

func (e *execution) reconcileByID(ctx context.Context, op *Operation) (bool, error) {
	if e.NaiveRetry {
		return false, nil
	}
	found, change := nobodyKnows, Change{}
	can := e.register(op).Capabilities()
	var err error
	if can.Lookup {
		if found, change, err = e.ask(ctx, op); err != nil {
			return false, err
		}
		// Another call under a key that holds is as good an answer as waiting; without one, or after the
		// last call, only time tells.
		if found == nobodyKnows && (op.Attempts >= MaxCalls || !e.keyHolds(op)) {
			if found, change, err = e.askUntilSettled(ctx, op); err != nil {
				return false, err
			}
		}
	}
	switch {
	case found == happened:
		return true, e.applied(ctx, op, change)
	case found == didNotHappen && op.Attempts >= MaxCalls:
		return true, e.record(ctx, op, e.notMade(op), fmt.Sprintf("it did not happen in %d calls", op.Attempts))
	case found == didNotHappen:
		e.idle = op.Attempts
		return false, nil
	case op.Attempts < MaxCalls && e.keyHolds(op):
		return false, nil
	default:
		return true, e.record(ctx, op, OperationUnknown, "nobody can say whether it happened")
	}
}

// ask puts the question once, or again while the service doesn't answer it.
func (e *execution) ask(ctx context.Context, op *Operation) (finding, Change, error) {
	for range maxAsks {
		// The service answers as of the question: time that passes until its answer is read proves nothing.
		timeEnough := e.sinceLastCall(op) >= e.register(op).Capabilities().MaxDelay
		change, found, err := e.register(op).Operation(ctx, op.ID)
		e.s.NoteFault(err)
		if ctx.Err() != nil {
			return nobodyKnows, Change{}, ctx.Err()
		}
		switch {
		case err != nil:
			e.s.Log("reconcile", "%s op %s -> no answer", op.Tool, op.ID)
		case found:
			e.s.Log("reconcile", "%s op %s -> found: it happened", op.Tool, op.ID)
			return happened, change, nil
		case timeEnough:
			e.s.Log("reconcile", "%s op %s -> not found", op.Tool, op.ID)
			return didNotHappen, Change{}, nil
		default:
			e.s.Log("reconcile", "%s op %s -> not found yet", op.Tool, op.ID)
			return nobodyKnows, Change{}, nil
		}
	}
	return nobodyKnows, Change{}, nil
}

// askUntilSettled waits until "not found" would mean that it did not happen, and asks again.
func (e *execution) askUntilSettled(ctx context.Context, op *Operation) (finding, Change, error) {
	wait := e.register(op).Capabilities().MaxDelay - e.sinceLastCall(op)
	if wait > 0 {
		if err := e.Clock.Wait(ctx, wait); err != nil {
			return nobodyKnows, Change{}, err
		}
	}
	return e.ask(ctx, op)
}

// sinceLastCall returns how long ago the latest call was at the least. A call on record may have left long
// after its record was saved: as late as the end of the process that made it, and that was before this one
// took over.
func (e *execution) sinceLastCall(op *Operation) time.Duration {
	if op.LastCallAt == nil {
		return 0
	}
	last := *op.LastCallAt
	if last.Before(e.began) {
		last = e.began
	}
	return e.Clock.Now().Sub(last)
}

// keyHolds reports whether the service still remembers our key for certain: a repeat under it is safe.
// The last tenth of the key's life is left alone, since the clocks of two systems differ. Where an error
// answer frees the key, it can't be counted on: whoever saw no answer can't know which one was sent.
func (e *execution) keyHolds(op *Operation) bool {
	can := e.register(op).Capabilities()
	if !can.Keys || !e.Strategy.SendsKey || can.SuccessHoldsKey {
		return false
	}
	if can.KeyTTL == 0 || op.FirstCallAt == nil {
		return true
	}
	return e.Clock.Now().Sub(*op.FirstCallAt) < can.KeyTTL-can.KeyTTL/10
}

// reconcileByArguments is the look-up of those who send no id: the same tool, order and arguments among
// the recent changes. "Not found" is taken at its word, and where nothing can be asked it calls again.
func (e *execution) reconcileByArguments(ctx context.Context, op *Operation) (bool, error) {
	if !e.register(op).Capabilities().Lookup {
		return false, nil
	}
	for range maxAsks {
		changes, err := e.register(op).RecentChanges(ctx, op.Action.OrderID)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			e.s.Log("reconcile", "%s %s -> no answer", op.Tool, op.Action.OrderID)
			continue
		}
		for _, c := range changes {
			if c.Action == op.Action {
				e.s.Log("reconcile", "%s %s -> found: it happened", op.Tool, op.Action.OrderID)
				return true, e.applied(ctx, op, c)
			}
		}
		e.s.Log("reconcile", "%s %s -> not found", op.Tool, op.Action.OrderID)
		return false, nil
	}
	return false, nil
}
