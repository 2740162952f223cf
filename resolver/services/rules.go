package services

import (
	"fmt"
	"strings"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// seedPrefix marks the operation ids of rows older than the course's day.
const seedPrefix = "seed-"

// apply makes one change if the rules allow it, and returns the id of its record. It writes nothing
// before every rule has been asked.
func apply(t tables, e Effect) (string, error) {
	a := e.Payload
	if err := checkForm(e); err != nil {
		return "", err
	}
	order, found, err := t.order(a.OrderID)
	if err != nil {
		return "", err
	}
	if !found {
		return "", refuse("not_found", "there is no order %s", a.OrderID)
	}
	switch a.Tool {
	case resolver.RequestRefund:
		err = refund(t, a, e.At)
	case resolver.ReshipItem:
		err = reship(t, a, e.At)
	default:
		err = label(t, a, order)
	}
	if err != nil {
		return "", err
	}
	return newRecordID(t, e)
}

// checkForm refuses what no rule of a tool could judge: a field of another tool would be hashed into the
// operation id and then not be part of the change.
func checkForm(e Effect) error {
	a := e.Payload
	if strings.HasPrefix(e.Key, seedPrefix) {
		return refuse("invalid", "operation ids that begin with %s belong to the data", seedPrefix)
	}
	own := resolver.Action{Tool: a.Tool, OrderID: a.OrderID}
	switch a.Tool {
	case resolver.RequestRefund:
		own.AmountCents, own.ReasonCode, own.PaymentID = a.AmountCents, a.ReasonCode, a.PaymentID
	case resolver.ReshipItem:
		own.SKU, own.Quantity = a.SKU, a.Quantity
	case resolver.CreateReturnLabel:
		own.SKU, own.Reason = a.SKU, a.Reason
	}
	if string(a.Tool) != e.Tool || own != a {
		return refuse("invalid", "%s was asked for something that is not a %s", e.Tool, e.Tool)
	}
	return nil
}

// refund lets the sum of an order's refunds grow up to what was captured. It knows totals only: a
// second refund for the same reason passes if the total allows it, and that is the lesson.
func refund(t tables, a resolver.Action, now time.Time) error {
	if a.AmountCents <= 0 {
		return refuse("invalid_amount", "a refund of %s is not above 0", resolver.FormatCents(a.AmountCents))
	}
	payments, err := paymentsNow(t, a.OrderID, now)
	if err != nil {
		return err
	}
	if a.PaymentID != "" && !capturedCharge(payments, a.PaymentID) {
		return refuse("not_captured", "%s is not a captured charge of %s", a.PaymentID, a.OrderID)
	}
	refunded, err := refundedCents(t, a.OrderID, now)
	if err != nil {
		return err
	}
	left := capturedCents(payments) - refunded
	if a.AmountCents > left {
		return refuse("over_capture", "a refund of %s is above the %s that is left of what was captured for %s",
			resolver.FormatCents(a.AmountCents), resolver.FormatCents(max(left, 0)), a.OrderID)
	}
	if a.PaymentID == "" {
		return nil
	}
	return t.setPaymentStatus(a.PaymentID, "refunded")
}

func capturedCharge(payments []larkfield.Payment, id string) bool {
	for _, p := range payments {
		if p.PaymentID == id {
			return p.Kind == "charge" && p.Status == "captured"
		}
	}
	return false
}

// capturedCents counts charges that were refunded too: what they gave back is in the refunds.
func capturedCents(payments []larkfield.Payment) int64 {
	var sum int64
	for _, p := range payments {
		if p.Kind == "charge" && (p.Status == "captured" || p.Status == "refunded") {
			sum += p.AmountCents
		}
	}
	return sum
}

func refundedCents(t tables, orderID string, now time.Time) (int64, error) {
	seeds, err := t.seedRefunds(orderID)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, r := range seeds {
		sum += r.AmountCents
	}
	ledger, err := t.Effects()
	for _, e := range ledger {
		if e.Payload.OrderID == orderID && e.Stands(now) {
			sum += e.Payload.AmountCents
		}
	}
	return sum, err
}

// paymentsNow returns the payments of an order. One whose refunds were all taken back is captured again.
func paymentsNow(t tables, orderID string, now time.Time) ([]larkfield.Payment, error) {
	payments, err := t.payments(orderID)
	if err != nil {
		return nil, err
	}
	ledger, err := t.Effects()
	if err != nil {
		return nil, err
	}
	out := make([]larkfield.Payment, len(payments))
	for i, p := range payments {
		refunds, standing := 0, 0
		for _, e := range ledger {
			if e.Payload.PaymentID == p.PaymentID {
				refunds++
				if e.Stands(now) {
					standing++
				}
			}
		}
		if refunds > 0 && standing == 0 {
			p.Status = "captured"
		}
		out[i] = p
	}
	return out, nil
}

// reship judges each request alone: two reshipments of one item pass, as long as there is stock.
func reship(t tables, a resolver.Action, now time.Time) error {
	items, err := t.items(a.OrderID)
	if err != nil {
		return err
	}
	ordered := 0
	for _, i := range items {
		if i.SKU == a.SKU {
			ordered += i.Quantity
		}
	}
	switch {
	case ordered == 0:
		return refuse("not_in_order", "%s is not in %s", a.SKU, a.OrderID)
	case a.Quantity < 1:
		return refuse("invalid_quantity", "a reshipment of %d x %s is not at least 1", a.Quantity, a.SKU)
	case a.Quantity > ordered:
		return refuse("over_ordered", "a reshipment of %d x %s is above the %d ordered in %s", a.Quantity, a.SKU, ordered, a.OrderID)
	}
	stored, _, err := t.product(a.SKU)
	if err != nil {
		return err
	}
	back, err := broughtBack(t, a.SKU, now)
	if err != nil {
		return err
	}
	if stock := stored.Stock + back; a.Quantity > stock {
		return refuse("out_of_stock", "a reshipment of %d x %s is above the %d in stock", a.Quantity, a.SKU, stock)
	}
	return t.setStock(a.SKU, stored.Stock-a.Quantity)
}

// broughtBack counts the pieces whose reshipment was taken back.
func broughtBack(t tables, sku string, now time.Time) (int, error) {
	ledger, err := t.Effects()
	pieces := 0
	for _, e := range ledger {
		if e.Payload.Tool == resolver.ReshipItem && e.Payload.SKU == sku && !e.Stands(now) {
			pieces += e.Payload.Quantity
		}
	}
	return pieces, err
}

// label accepts a second label for the same item, as the original does.
func label(t tables, a resolver.Action, order larkfield.Order) error {
	if _, known := labelFeeCents[a.Reason]; !known {
		return refuse("invalid_reason", "%q is no reason for a return label", a.Reason)
	}
	if order.DeliveredOn == "" {
		return refuse("not_delivered", "%s is not delivered", a.OrderID)
	}
	items, err := t.items(a.OrderID)
	if err != nil {
		return err
	}
	for _, i := range items {
		if i.SKU == a.SKU {
			return nil
		}
	}
	return refuse("not_in_order", "%s is not in %s", a.SKU, a.OrderID)
}

// labelFeeCents is what a return costs the customer, by its reason.
var labelFeeCents = map[string]int64{
	"change_of_mind": resolver.ReturnShippingCents,
	"damaged":        0,
	"wrong_item":     0,
}

// newRecordID names the record after the operation. Where a service makes a second change under one
// name, because it forgot the first, the second record needs a name of its own.
func newRecordID(t tables, e Effect) (string, error) {
	ledger, err := t.Effects()
	if err != nil {
		return "", err
	}
	same := 0
	for _, o := range ledger {
		if o.Operation == e.Operation && o.Tool == e.Tool {
			same++
		}
	}
	name := e.Operation
	if same > 0 {
		name = fmt.Sprintf("%s#%d", e.Operation, same+1)
	}
	return resolver.RecordID(e.Payload.Tool, name), nil
}

func refuse(code, format string, args ...any) error {
	return &provider.Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}
