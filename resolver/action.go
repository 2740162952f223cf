package resolver

import (
	"fmt"
	"slices"
)

// Tool names one kind of write.
type Tool string

// The writes the workflow may propose.
const (
	RequestRefund     Tool = "request_refund"
	ReshipItem        Tool = "reship_item"
	CreateReturnLabel Tool = "create_return_label"
)

// MaxQuantity bounds how many pieces one reshipment sends.
const MaxQuantity = 10

var (
	refundReasons = []string{"RFD-LATE", "RFD-DAMAGE", "RFD-DOUBLE"}
	labelReasons  = []string{"change_of_mind", "damaged", "wrong_item"}
)

// Action is one write that a proposal asks for. Only the fields of its tool are set; the rest are
// zero, and Validate refuses anything extra, because the operation id hashes what is there.
type Action struct {
	Tool        Tool   `json:"tool"`
	OrderID     string `json:"order_id"`
	SKU         string `json:"sku,omitempty"`
	Quantity    int    `json:"quantity,omitempty"`
	AmountCents int64  `json:"amount_cents,omitempty"`
	ReasonCode  string `json:"reason_code,omitempty"`
	PaymentID   string `json:"payment_id,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// Validate reports the first thing that makes the action one that no service could carry out.
func (a Action) Validate() error {
	if !IsOrderID(a.OrderID) {
		return fmt.Errorf("order_id %q is not LK- and six digits", a.OrderID)
	}
	extra := a
	extra.Tool, extra.OrderID = "", ""
	switch a.Tool {
	case RequestRefund:
		if a.AmountCents <= 0 || a.AmountCents > MaxAmountCents {
			return fmt.Errorf("amount %s is not above 0 and at most %s", FormatCents(a.AmountCents), FormatCents(MaxAmountCents))
		}
		if !slices.Contains(refundReasons, a.ReasonCode) {
			return fmt.Errorf("reason %q is not one of %v", a.ReasonCode, refundReasons)
		}
		extra.AmountCents, extra.ReasonCode, extra.PaymentID = 0, "", ""
	case ReshipItem:
		if a.SKU == "" {
			return fmt.Errorf("%s names no sku", a.Tool)
		}
		if a.Quantity < 1 || a.Quantity > MaxQuantity {
			return fmt.Errorf("quantity %d is not 1 to %d", a.Quantity, MaxQuantity)
		}
		extra.SKU, extra.Quantity = "", 0
	case CreateReturnLabel:
		if a.SKU == "" {
			return fmt.Errorf("%s names no sku", a.Tool)
		}
		if !slices.Contains(labelReasons, a.Reason) {
			return fmt.Errorf("reason %q is not one of %v", a.Reason, labelReasons)
		}
		extra.SKU, extra.Reason = "", ""
	default:
		return fmt.Errorf("unknown tool %q", a.Tool)
	}
	if extra != (Action{}) {
		return fmt.Errorf("%s has fields that belong to another tool", a.Tool)
	}
	return nil
}

// Text returns the action as the approval request and the explorer print it, without its number.
func (a Action) Text() string {
	head := fmt.Sprintf("%-20s %s  ", a.Tool, a.OrderID)
	switch a.Tool {
	case RequestRefund:
		text := fmt.Sprintf("%s%s %s  %s", head, FormatCents(a.AmountCents), Currency, a.ReasonCode)
		if a.PaymentID != "" {
			text += "  payment " + a.PaymentID
		}
		return text
	case ReshipItem:
		return fmt.Sprintf("%s%s x %d", head, a.SKU, a.Quantity)
	default:
		shipping := "free"
		if a.Reason == "change_of_mind" {
			shipping = FormatCents(ReturnShippingCents) + " " + Currency
		}
		return fmt.Sprintf("%s%s  reason %s (return shipping: %s)", head, a.SKU, a.Reason, shipping)
	}
}

// ReturnShippingCents is what a return for a change of mind costs the customer.
const ReturnShippingCents = 12_95
