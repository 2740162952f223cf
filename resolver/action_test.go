package resolver_test

import (
	"strings"
	"testing"

	"github.com/paytwice/paytwice/resolver"
)

func TestAction_Validate(t *testing.T) {
	for _, c := range []struct {
		name   string
		action resolver.Action
		change func(*resolver.Action)
		want   string // a part of the error; empty means that it validates
	}{
		{"refund", feeRefund, func(*resolver.Action) {}, ""},
		{"refund of a payment", namedRefund, func(*resolver.Action) {}, ""},
		{"reshipment", planter, func(*resolver.Action) {}, ""},
		{"label", ladderLabel, func(*resolver.Action) {}, ""},
		{"the largest refund", feeRefund, func(a *resolver.Action) { a.AmountCents = resolver.MaxAmountCents }, ""},
		{"the most pieces", planter, func(a *resolver.Action) { a.Quantity = resolver.MaxQuantity }, ""},
		{"no tool", feeRefund, func(a *resolver.Action) { a.Tool = "" }, "unknown tool"},
		{"a note is no action", feeRefund, func(a *resolver.Action) { a.Tool = resolver.AddNote }, "unknown tool"},
		{"no order", feeRefund, func(a *resolver.Action) { a.OrderID = "" }, "order_id"},
		{"order too short", feeRefund, func(a *resolver.Action) { a.OrderID = "LK-12345" }, "order_id"},
		{"order with more after it", feeRefund, func(a *resolver.Action) { a.OrderID = "LK-123456\n" }, "order_id"},
		{"nothing to refund", feeRefund, func(a *resolver.Action) { a.AmountCents = 0 }, "amount"},
		{"less than nothing", feeRefund, func(a *resolver.Action) { a.AmountCents = -1 }, "amount"},
		{"too much", feeRefund, func(a *resolver.Action) { a.AmountCents = resolver.MaxAmountCents + 1 }, "amount"},
		{"another reason", feeRefund, func(a *resolver.Action) { a.ReasonCode = "RFD-late" }, "reason"},
		{"no reason", feeRefund, func(a *resolver.Action) { a.ReasonCode = "" }, "reason"},
		{"refund with a sku", feeRefund, func(a *resolver.Action) { a.SKU = "X" }, "another tool"},
		{"refund with a quantity", feeRefund, func(a *resolver.Action) { a.Quantity = 1 }, "another tool"},
		{"refund with a label's reason", feeRefund, func(a *resolver.Action) { a.Reason = "damaged" }, "another tool"},
		{"reshipment of nothing", planter, func(a *resolver.Action) { a.SKU = "" }, "sku"},
		{"no pieces", planter, func(a *resolver.Action) { a.Quantity = 0 }, "quantity"},
		{"too many pieces", planter, func(a *resolver.Action) { a.Quantity = resolver.MaxQuantity + 1 }, "quantity"},
		{"reshipment with an amount", planter, func(a *resolver.Action) { a.AmountCents = 1 }, "another tool"},
		{"label of nothing", ladderLabel, func(a *resolver.Action) { a.SKU = "" }, "sku"},
		{"label for another reason", ladderLabel, func(a *resolver.Action) { a.Reason = "bored" }, "reason"},
		{"label with a payment", ladderLabel, func(a *resolver.Action) { a.PaymentID = "P" }, "another tool"},
		{"label with a reason code", ladderLabel, func(a *resolver.Action) { a.ReasonCode = "RFD-LATE" }, "another tool"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := c.action
			c.change(&a)
			err := a.Validate()
			if c.want == "" {
				must(t, err)
			} else if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something about %q", err, c.want)
			}
		})
	}
}

func TestAction_Text(t *testing.T) {
	for want, a := range map[string]resolver.Action{
		"request_refund       LK-793996  9.95 CAD  RFD-LATE":                                           feeRefund,
		"request_refund       LK-507862  119.00 CAD  RFD-DOUBLE  payment PAY-507862-2":                 namedRefund,
		"reship_item          LK-640436  PLANTER x 1":                                                  planter,
		"create_return_label  LK-640436  PLANTER  reason damaged (return shipping: free)":              planterBack,
		"create_return_label  LK-645334  LADDER-3  reason change_of_mind (return shipping: 12.95 CAD)": ladderLabel,
	} {
		t.Run(string(a.Tool), func(t *testing.T) { same(t, "text", a.Text(), want) })
	}
}
