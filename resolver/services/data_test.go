package services_test

import (
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// shop is a small data set with one order for each rule.
func shop() *larkfield.Data {
	return &larkfield.Data{
		Orders: []larkfield.Order{
			{OrderID: "LK-100001", CustomerID: "C-1", Status: "delivered", OrderedOn: "2026-09-20", ShippedOn: "2026-09-21", DeliveredOn: "2026-09-24", ShippingFeeCents: 995, TotalCents: 4995, Currency: "CAD", Note: "ring twice"},
			{OrderID: "LK-100002", CustomerID: "C-1", Status: "shipped", OrderedOn: "2026-09-22", ShippedOn: "2026-09-23", ShippingFeeCents: 995, TotalCents: 11900, Currency: "CAD"},
			{OrderID: "LK-100003", CustomerID: "C-2", Status: "return_requested", OrderedOn: "2026-09-10", ShippedOn: "2026-09-11", DeliveredOn: "2026-09-15", TotalCents: 5000, Currency: "CAD"},
		},
		Items: []larkfield.Item{
			{OrderID: "LK-100001", SKU: "POT", Product: "pot", Quantity: 2, UnitPriceCents: 2000, Box: 1},
			{OrderID: "LK-100002", SKU: "LAMP", Product: "lamp", Quantity: 1, UnitPriceCents: 11900, Box: 1},
			{OrderID: "LK-100003", SKU: "POT", Product: "pot", Quantity: 1, UnitPriceCents: 2000, Box: 1},
			{OrderID: "LK-100003", SKU: "POT", Product: "pot", Quantity: 2, UnitPriceCents: 2000, Box: 2},
		},
		Products: []larkfield.Product{
			{SKU: "POT", Product: "pot", UnitPriceCents: 2000, WeightKg: "1.5", ChangeOfMindReturn: true, Stock: 3},
			{SKU: "LAMP", Product: "lamp", UnitPriceCents: 11900, WeightKg: "0.8", Stock: 0},
		},
		Shipments: []larkfield.Shipment{
			{ShipmentID: "SH-1", OrderID: "LK-100001", Box: 1, Status: "delivered", ShippedOn: "2026-09-21", DeliveredOn: "2026-09-24", LastScanOn: "2026-09-24", CourierNote: "left at the door"},
		},
		Payments: []larkfield.Payment{
			{PaymentID: "PAY-1", OrderID: "LK-100001", Kind: "charge", AmountCents: 4995, Status: "captured", CreatedOn: "2026-09-21"},
			{PaymentID: "PAY-2A", OrderID: "LK-100002", Kind: "charge", AmountCents: 11900, Status: "captured", CreatedOn: "2026-09-23"},
			{PaymentID: "PAY-2B", OrderID: "LK-100002", Kind: "charge", AmountCents: 11900, Status: "captured", CreatedOn: "2026-09-23"},
			{PaymentID: "PAY-2C", OrderID: "LK-100002", Kind: "authorisation", AmountCents: 11900, Status: "released", CreatedOn: "2026-09-23"},
			{PaymentID: "PAY-3", OrderID: "LK-100003", Kind: "charge", AmountCents: 5000, Status: "refunded", CreatedOn: "2026-09-11"},
		},
		Refunds: []larkfield.SeedRefund{
			{RefundID: "RF-0001", OrderID: "LK-100003", PaymentID: "PAY-3", AmountCents: 3000, ReasonCode: "RFD-RETURN", CreatedOn: "2026-10-01"},
		},
		Labels: []larkfield.SeedLabel{
			{LabelID: "RL-0001", OrderID: "LK-100003", SKU: "POT", Reason: "change_of_mind", FeeCents: 1295, CreatedOn: "2026-09-28"},
		},
	}
}

func passages() []resolver.Passage {
	return []resolver.Passage{
		{ID: "W1", Title: "Short delays", Text: "A slow order gets a reply."},
		{ID: "W2", Title: "Late orders", Text: "The shipping fee of a late order is refunded."},
		{ID: "W3", Title: "Lost orders", Text: "A lost order is refunded or replaced. Café crème."},
		{ID: "W4", Title: "Boxes", Text: "A missing box of an order is sent again."},
		{ID: "W5", Title: "Damage", Text: "A broken pot is reshipped."},
	}
}

// clock is the services' time, moved by hand.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 10, 9, 21, 0, 53, 0, time.UTC)} }

func (c *clock) Now() time.Time          { return c.now }
func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

func refund(orderID string, cents int64, paymentID string) resolver.Action {
	return resolver.Action{Tool: resolver.RequestRefund, OrderID: orderID, AmountCents: cents, ReasonCode: "RFD-LATE", PaymentID: paymentID}
}

func reship(orderID, sku string, quantity int) resolver.Action {
	return resolver.Action{Tool: resolver.ReshipItem, OrderID: orderID, SKU: sku, Quantity: quantity}
}

func label(orderID, sku, reason string) resolver.Action {
	return resolver.Action{Tool: resolver.CreateReturnLabel, OrderID: orderID, SKU: sku, Reason: reason}
}
