package seams

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
)

// Intent returns one action of a ticket as the judge knows it. The id is worked out here a second time,
// from the course's rule and not from the code under test: a resolver whose ids are wrong must not be
// judged by them.
func Intent(ticketID string, a resolver.Action) history.Intent {
	return history.Intent{ID: intentID(ticketID, a), Tool: string(a.Tool), Subject: a.OrderID,
		AmountCents: a.AmountCents, Reason: a.ReasonCode, Payload: Payload(a)}
}

// Payload returns the canonical form of what an action asks for.
func Payload(a resolver.Action) string {
	return strings.Join(strings.Fields(a.Text()), " ")
}

func intentID(ticketID string, a resolver.Action) string {
	var text string
	switch a.Tool {
	case resolver.RequestRefund:
		payment := "null"
		if a.PaymentID != "" {
			payment = `"` + a.PaymentID + `"`
		}
		amount := fmt.Sprintf("%d.%02d", a.AmountCents/100, a.AmountCents%100)
		if strings.HasSuffix(amount, "0") {
			amount = amount[:len(amount)-1]
		}
		text = fmt.Sprintf(`{"amount": %s, "order_id": "%s", "payment_id": %s, "reason_code": "%s", "ticket": "%s", "tool": "%s"}`,
			amount, a.OrderID, payment, a.ReasonCode, ticketID, a.Tool)
	case resolver.ReshipItem:
		text = fmt.Sprintf(`{"order_id": "%s", "quantity": %d, "sku": "%s", "ticket": "%s", "tool": "%s"}`,
			a.OrderID, a.Quantity, a.SKU, ticketID, a.Tool)
	default:
		text = fmt.Sprintf(`{"order_id": "%s", "reason": "%s", "sku": "%s", "ticket": "%s", "tool": "%s"}`,
			a.OrderID, a.Reason, a.SKU, ticketID, a.Tool)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Saved returns what a state says about its run, as the judge knows it.
func Saved(s *resolver.TaskState) *history.Saved {
	out := &history.Saved{Run: s.RunID, Status: string(s.Status), Step: s.Step, ModelCalls: s.Usage.ModelCalls}
	for _, op := range s.Operations {
		out.Operations = append(out.Operations, history.Operation{ID: intentID(s.TicketID, op.Action), Status: string(op.Status),
			Attempts: op.Attempts, RecordID: op.RecordID, Error: op.Error})
	}
	if s.Approval != nil && s.Proposal != nil {
		out.Approval = s.Approval.Fingerprint
		for _, a := range s.Proposal.Actions {
			out.Approved = append(out.Approved, Intent(s.TicketID, a.Action))
		}
	}
	return out
}
