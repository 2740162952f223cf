package services

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

// inserter fills one table after the other and stops at the first error.
type inserter struct {
	ctx context.Context
	tx  *sql.Tx
	err error
}

func (in *inserter) row(table string, values ...any) {
	if in.err != nil {
		return
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
	_, in.err = in.tx.ExecContext(in.ctx, "INSERT INTO "+table+" VALUES ("+marks+")", values...)
}

// insertData writes the data, in the order of its files: rows are read back in the order of their row
// ids.
func insertData(ctx context.Context, tx *sql.Tx, d *larkfield.Data) error {
	in := &inserter{ctx: ctx, tx: tx}
	for _, o := range d.Orders {
		in.row("orders", o.OrderID, o.CustomerID, o.Status, o.OrderedOn, o.ShippedOn, o.DeliveredOn, o.ShippingFeeCents, o.TotalCents, o.Currency, o.Note)
	}
	for _, i := range d.Items {
		in.row("order_items", i.OrderID, i.SKU, i.Product, i.Quantity, i.UnitPriceCents, i.Box)
	}
	for _, p := range d.Products {
		in.row("products", p.SKU, p.Product, p.UnitPriceCents, p.WeightKg, p.ChangeOfMindReturn, p.Stock)
	}
	for _, s := range d.Shipments {
		in.row("shipments", s.ShipmentID, s.OrderID, s.Box, s.Status, s.ShippedOn, s.DeliveredOn, s.LastScanOn, s.CourierNote)
	}
	for _, p := range d.Payments {
		in.row("payments", p.PaymentID, p.OrderID, p.Kind, p.AmountCents, p.Status, p.CreatedOn)
	}
	for _, r := range d.Refunds {
		in.row("refunds", r.RefundID, r.OrderID, r.PaymentID, r.AmountCents, r.ReasonCode, seedPrefix+r.RefundID, "", "", seedText(r.CreatedOn), nil, 0, "")
	}
	for _, l := range d.Labels {
		in.row("return_labels", l.LabelID, l.OrderID, l.SKU, l.Reason, l.FeeCents, seedPrefix+l.LabelID, "", "", seedText(l.CreatedOn), nil, 0, "")
	}
	return in.err
}

func seedText(on string) string { return timeText(seedTime(on)) }

// timeText is a time as the file holds it; empty stands for none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339Nano, text)
}
