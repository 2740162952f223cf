package services

import (
	"context"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// RequestRefund implements [resolver.Payment].
func (p payment) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return p.write(ctx, resolver.RequestRefund, w)
}

// ReshipItem implements [resolver.Warehouse].
func (h warehouse) ReshipItem(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return h.write(ctx, resolver.ReshipItem, w)
}

// CreateReturnLabel implements [resolver.Warehouse].
func (h warehouse) CreateReturnLabel(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return h.write(ctx, resolver.CreateReturnLabel, w)
}

// write has one request answered. The use of a fault, the key's record, the change and the ledger line
// are one transaction.
func (d desk) write(ctx context.Context, tool resolver.Tool, w resolver.WriteRequest) (resolver.Change, error) {
	var (
		answer provider.Answer
		made   Effect
		struck *strike
	)
	request := provider.Request[resolver.Action]{
		Key: w.Key, Tool: string(tool), Caller: d.ticket(w.TicketID), Payload: w.Action, Knobs: provider.KnobsFrom(ctx),
	}
	err := d.world.store.update(ctx, func(t tables) (err error) {
		if struck, err = d.strike(t, string(tool)); err != nil {
			return err
		}
		if struck != nil {
			request.Knobs.Trouble = struck.trouble
		}
		answer, err = d.world.engine.Do(t, request, func(e Effect) (string, error) { return apply(t, e) })
		if err != nil || answer.Seq == 0 {
			return err
		}
		ledger, err := t.Effects()
		if err == nil {
			made = ledger[answer.Seq-1]
		}
		return err
	})
	if err != nil {
		return resolver.Change{}, err
	}
	if err := answerError(answer); err != nil {
		return resolver.Change{}, struck.wrap(err)
	}
	// What was done is shown, not what was asked: a service that compares no payloads answers a used key
	// with another request's change, and the caller must be able to see that.
	c := change(made)
	c.Repeated = answer.Repeated
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

// seedRefund is a refund of the data as a change; it is shown where refunds are listed, and never
// counted as a change.
func seedRefund(s larkfield.SeedRefund) resolver.Change {
	return resolver.Change{
		RecordID: s.RefundID, OperationID: seedPrefix + s.RefundID, Currency: resolver.Currency, At: seedTime(s.CreatedOn),
		Action: resolver.Action{
			Tool: resolver.RequestRefund, OrderID: s.OrderID, AmountCents: s.AmountCents, ReasonCode: s.ReasonCode, PaymentID: s.PaymentID,
		},
	}
}

// seedTime is the time of day that the course gives the data's own changes.
func seedTime(on string) time.Time {
	at, err := time.Parse(time.DateOnly, on)
	if err != nil {
		return time.Time{}
	}
	return at.Add(10 * time.Hour)
}
