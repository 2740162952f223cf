package services

import (
	"context"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// GetOrder implements [resolver.Orders].
func (d desk) GetOrder(ctx context.Context, customerID, orderID string) (order resolver.Order, err error) {
	err = d.read(ctx, "get_order", func(t tables) error {
		row, err := ownOrder(t, customerID, orderID)
		if err != nil {
			return err
		}
		order, err = d.world.fullOrder(t, row)
		return err
	})
	return order, err
}

// GetCustomerOrders implements [resolver.Orders].
func (d desk) GetCustomerOrders(ctx context.Context, customerID string) (orders []resolver.Order, err error) {
	err = d.read(ctx, "get_customer_orders", func(t tables) error {
		rows, err := t.customerOrders(customerID)
		if err != nil {
			return err
		}
		orders = make([]resolver.Order, len(rows))
		for i, row := range rows {
			if orders[i], err = d.world.fullOrder(t, row); err != nil {
				return err
			}
		}
		return nil
	})
	return orders, err
}

// ownOrder answers for another customer's order as for one that doesn't exist: neither may be learnt.
func ownOrder(t tables, customerID, orderID string) (larkfield.Order, error) {
	row, found, err := t.order(orderID)
	if err != nil {
		return row, err
	}
	if !found || row.CustomerID != customerID {
		return row, &resolver.RefusedError{Code: "not_found", Message: "this customer has no order " + orderID}
	}
	return row, nil
}

func (w *World) fullOrder(t tables, row larkfield.Order) (resolver.Order, error) {
	o := resolver.Order{
		OrderID: row.OrderID, CustomerID: row.CustomerID, Status: row.Status, OrderedOn: row.OrderedOn,
		ShippedOn: row.ShippedOn, DeliveredOn: row.DeliveredOn, ShippingFeeCents: row.ShippingFeeCents,
		TotalCents: row.TotalCents, Currency: row.Currency, Note: row.Note,
	}
	now := w.engine.Now()
	var err error
	if o.Items, err = orderItems(t, row.OrderID, now); err != nil {
		return o, err
	}
	if o.Boxes, err = orderBoxes(t, row.OrderID); err != nil {
		return o, err
	}
	if o.Refunds, err = refundRecords(t, row.OrderID, now); err != nil {
		return o, err
	}
	if o.Labels, err = labelRecords(t, row.OrderID, now); err != nil {
		return o, err
	}
	o.Reshipments, err = changeRecords(t, row.OrderID, resolver.ReshipItem, now)
	return o, err
}

func orderItems(t tables, orderID string, now time.Time) ([]resolver.Item, error) {
	rows, err := t.items(orderID)
	if err != nil {
		return nil, err
	}
	items := make([]resolver.Item, len(rows))
	for i, row := range rows {
		p, _, err := t.product(row.SKU)
		if err != nil {
			return nil, err
		}
		back, err := broughtBack(t, row.SKU, now)
		if err != nil {
			return nil, err
		}
		items[i] = resolver.Item{
			SKU: row.SKU, Product: row.Product, Quantity: row.Quantity, UnitPriceCents: row.UnitPriceCents,
			Box: row.Box, InStock: p.Stock + back, ChangeOfMindReturn: p.ChangeOfMindReturn,
		}
	}
	return items, nil
}

func orderBoxes(t tables, orderID string) ([]resolver.Shipment, error) {
	rows, err := t.shipments(orderID)
	boxes := make([]resolver.Shipment, len(rows))
	for i, row := range rows {
		boxes[i] = resolver.Shipment{
			Box: row.Box, Status: row.Status, ShippedOn: row.ShippedOn, DeliveredOn: row.DeliveredOn,
			LastScanOn: row.LastScanOn, CourierNote: row.CourierNote,
		}
	}
	return boxes, err
}

// refundRecords returns an order's refunds: those of the data, then those made since, oldest first.
func refundRecords(t tables, orderID string, now time.Time) ([]resolver.Record, error) {
	seeds, err := t.seedRefunds(orderID)
	if err != nil {
		return nil, err
	}
	made, err := changeRecords(t, orderID, resolver.RequestRefund, now)
	records := make([]resolver.Record, len(seeds), len(seeds)+len(made))
	for i, s := range seeds {
		records[i] = resolver.Record{
			RecordID: s.RefundID, AmountCents: s.AmountCents, Reason: s.ReasonCode, PaymentID: s.PaymentID, On: s.CreatedOn,
		}
	}
	return append(records, made...), err
}

func labelRecords(t tables, orderID string, now time.Time) ([]resolver.Record, error) {
	seeds, err := t.seedLabels(orderID)
	if err != nil {
		return nil, err
	}
	made, err := changeRecords(t, orderID, resolver.CreateReturnLabel, now)
	records := make([]resolver.Record, len(seeds), len(seeds)+len(made))
	for i, s := range seeds {
		records[i] = resolver.Record{RecordID: s.LabelID, SKU: s.SKU, AmountCents: s.FeeCents, Reason: s.Reason, On: s.CreatedOn}
	}
	return append(records, made...), err
}

// changeRecords returns the changes of one kind to an order that stand.
func changeRecords(t tables, orderID string, tool resolver.Tool, now time.Time) ([]resolver.Record, error) {
	ledger, err := t.Effects()
	var records []resolver.Record
	for _, e := range ledger {
		a := e.Payload
		if a.OrderID != orderID || a.Tool != tool || !e.Stands(now) {
			continue
		}
		r := resolver.Record{
			RecordID: e.Record, SKU: a.SKU, Quantity: a.Quantity, AmountCents: a.AmountCents,
			Reason: a.ReasonCode, PaymentID: a.PaymentID, On: e.At.Format(time.DateOnly),
		}
		if tool == resolver.CreateReturnLabel {
			r.Reason, r.AmountCents = a.Reason, labelFeeCents[a.Reason]
		}
		records = append(records, r)
	}
	return records, err
}
