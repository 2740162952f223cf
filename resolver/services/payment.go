package services

import (
	"context"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// payment implements [resolver.Payment].
type payment struct{ register }

// RequestRefund implements [resolver.Payment].
func (p payment) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return p.write(ctx, resolver.RequestRefund, w)
}

// GetPayments implements [resolver.Payment].
func (p payment) GetPayments(ctx context.Context, customerID, orderID string) (out resolver.Payments, err error) {
	err = p.read(ctx, "get_payments", func(t tables) error {
		if _, err := ownOrder(t, customerID, orderID); err != nil {
			return err
		}
		now := p.world.engine.Now()
		rows, err := paymentsNow(t, orderID, now)
		if err != nil {
			return err
		}
		out = resolver.Payments{OrderID: orderID, Payments: make([]resolver.PaymentRecord, len(rows))}
		for i, row := range rows {
			out.Payments[i] = resolver.PaymentRecord{
				PaymentID: row.PaymentID, Kind: row.Kind, AmountCents: row.AmountCents, Status: row.Status, CreatedOn: row.CreatedOn,
			}
		}
		out.Refunds, err = refundRecords(t, orderID, now)
		return err
	})
	return out, err
}

// GetRefunds implements [resolver.Payment]. It is a look-up and lags like the others; the data's own
// refunds are old enough to be always seen.
func (p payment) GetRefunds(ctx context.Context, orderID string) ([]resolver.Change, error) {
	var seeds []resolver.Change
	err := p.world.store.view(ctx, func(t tables) error {
		rows, err := t.seedRefunds(orderID)
		for _, s := range rows {
			seeds = append(seeds, seedRefund(s))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	made, err := p.RecentChanges(ctx, orderID)
	return append(seeds, made...), err
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
