package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

func bankSite(operation string) faults.Site { return faults.Site{Seam: "bank", Operation: operation} }

// precondition asks what the approval relied on. It returns why it does not hold, empty if it does.
func (w *worker) precondition(ctx context.Context) (string, error) {
	accounts, err := scenarios.Call(ctx, w.Hands, bankSite("accounts"), order{}, scenarios.Told[map[string]Account]{})
	if err != nil {
		return "", fmt.Errorf("precondition: %w", err)
	}
	if a := accounts["A"].BalanceCents; a <= moreThanCents {
		return fmt.Sprintf("A holds %s, not more than %s", resolver.FormatCents(a), resolver.FormatCents(moreThanCents)), nil
	}
	return "", nil
}

// transfer asks the bank to move the money.
func (w *worker) transfer(ctx context.Context, key string) (found, error) {
	want := intent()
	o := order{Key: key, By: runID, Token: w.token, From: "A", To: "B", AmountCents: amountCents}
	return scenarios.Call(ctx, w.Hands, bankSite("transfer"), o, scenarios.Told[found]{
		Before: func(e *history.Event) {
			e.Request = &history.Request{Write: true, Intent: want.ID, Key: key, What: "transfer " + want.Payload, Payload: want.Payload}
		},
		After: func(e *history.Event, got found, err error) {
			switch {
			case err == nil:
				e.Answer, e.RecordID = history.Applied, got.Entry.Record
			case errors.Is(err, resolver.ErrUnavailable):
				e.Answer = history.UnavailableSafe
			}
		}})
}

// operation asks the bank whether the transfer was made. The question carries the token, since a "no" must
// stay true: from then on the bank refuses the call of a worker that is paused before it sends it.
func (w *worker) operation(ctx context.Context) (found, error) {
	return scenarios.Call(ctx, w.Hands, bankSite("operation"), order{Key: operationID, Token: w.token}, scenarios.Told[found]{
		Before: func(e *history.Event) {
			e.Request = &history.Request{Ask: true, Intent: operationID, Key: operationID, What: "was it made?"}
		},
		After: func(e *history.Event, got found, err error) {
			switch {
			case err != nil:
			case got.Found:
				e.Answer, e.RecordID = history.Found, got.Entry.Record
			default:
				e.Answer = history.NotFound
			}
		}})
}

// readBack reads what the bank's rows say of a record.
func (w *worker) readBack(ctx context.Context, record string) (found, error) {
	return scenarios.Call(ctx, w.Hands, bankSite("read_back"), order{Record: record}, scenarios.Told[found]{
		After: func(e *history.Event, _ found, _ error) { e.RecordID = record }})
}

// reverse asks the bank to take the transfer back. The request names no intent of its own: it is no
// attempt at the transfer.
func (w *worker) reverse(ctx context.Context) error {
	o := order{Record: w.rec.RecordID, Token: w.token}
	_, err := scenarios.Call(ctx, w.Hands, bankSite("reverse"), o, scenarios.Told[found]{
		Before: func(e *history.Event) {
			e.Request = &history.Request{Write: true, Undoes: operationID, Owner: operationID, What: "reverse " + o.Record}
		},
		After: func(e *history.Event, _ found, err error) {
			if err == nil {
				e.Answer, e.RecordID = history.Applied, o.Record
			}
		}})
	return err
}

// pointAlerter raises an alert past its points, at whoever takes alerts outside.
type pointAlerter struct{ h *scenarios.Hands }

func (p pointAlerter) Raise(ctx context.Context, a Alert) error {
	_, err := scenarios.Call(ctx, p.h, faults.Site{Seam: "alert", Operation: "raise"}, a, scenarios.Told[struct{}]{})
	return err
}
