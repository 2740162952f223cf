package resolver

import (
	"context"
	"fmt"
)

// check asks, just before a call is sent, what the approval relied on and no service checks. It returns
// the refusal as a sentence, empty when the call may be sent.
//
// A refund that names a payment is left to the payment service, which refuses a charge that was refunded
// meanwhile. One that names none could pay twice for one reason: the service sees only totals.
// Source: lesson "Checkpoints and rollback", preconditions.
func (e *execution) check(ctx context.Context, op *Operation) (string, error) {
	if !e.Strategy.Careful || op.Tool != RequestRefund || op.Action.PaymentID != "" || !e.Services.Payment.Capabilities().Lookup {
		return "", nil
	}
	var last error
	for range maxAsks {
		refunds, err := e.Services.Payment.GetRefunds(ctx, op.Action.OrderID)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if last = err; err != nil {
			continue
		}
		for _, r := range refunds {
			if r.Action.ReasonCode == op.Action.ReasonCode && r.OperationID != op.ID {
				return fmt.Sprintf("%s has a refund for %s already (%s)", op.Action.OrderID, op.Action.ReasonCode, r.RecordID), nil
			}
		}
		return "", nil
	}
	return fmt.Sprintf("the earlier refunds of %s can't be read: %s", op.Action.OrderID, answerWord(last)), nil
}

// verify reads a record back and returns how it differs from what was asked for, empty when it doesn't.
// A record that a slow look-up doesn't show yet is asked for once more after MaxDelay.
//
// Source: lesson "Checkpoints and rollback", post-action verification.
func (e *execution) verify(ctx context.Context, op *Operation, change Change) (string, error) {
	can := e.register(op).Capabilities()
	if !e.Strategy.Careful || !can.Lookup {
		return "", nil
	}
	waited := can.MaxDelay == 0
	for asks := 0; asks < maxAsks; asks++ {
		got, found, err := e.register(op).ReadBack(ctx, change.RecordID)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil && found:
			return e.compare(op, got), nil
		case err == nil && waited:
			return fmt.Sprintf("record %s is not there", change.RecordID), nil
		case err == nil:
			if err := e.Clock.Wait(ctx, can.MaxDelay); err != nil {
				return "", err
			}
			waited, asks = true, asks-1
		}
	}
	e.s.Log("verify", "%s %s -> no answer", op.Tool, change.RecordID)
	return "", nil
}

func (e *execution) compare(op *Operation, got Change) string {
	if got.Action == op.Action && got.TicketID == e.s.TicketID {
		e.s.Log("verify", "%s %s -> as asked", op.Tool, got.RecordID)
		return ""
	}
	e.s.Log("verify", "%s %s -> differs", op.Tool, got.RecordID)
	return fmt.Sprintf("record %s says %s, asked was %s", got.RecordID, got.Action.Text(), op.Action.Text())
}

// knownBad ends an operation whose record is not what was asked for: its rollback is named, a person is
// alerted, and it is never recorded as done. The record is named, for the person to look at.
func (e *execution) knownBad(ctx context.Context, op *Operation, recordID, difference string) error {
	way := planRollback(op.Action)
	e.s.Log("alert", "%s; rollback (%s): %s", difference, way.Rollback, way.RollbackText)
	if e.Alert != nil {
		if err := e.Alert(ctx, fmt.Sprintf("run %s: %s; rollback (%s): %s", e.s.RunID, difference, way.Rollback, way.RollbackText)); err != nil {
			return fmt.Errorf("alert of run %s: %w", e.s.RunID, err)
		}
	}
	op.RecordID = recordID
	return e.record(ctx, op, OperationUnknown, difference)
}
