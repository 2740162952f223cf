package seams

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
)

// Intent returns one action of a ticket as the judge knows it. The id is worked out here a second time,
// from the course's rule and not from the code under test: a resolver whose ids are wrong must not be
// judged by them.
func Intent(ticketID string, a resolver.Action) history.Intent {
	return intents.of(actionOf{ticketID, a})
}

// intents are those met so far: the lives of a search meet the same few at every save.
var intents = knownIntents{by: map[actionOf]history.Intent{}}

type actionOf struct {
	ticketID string
	action   resolver.Action
}

// knownIntents is safe for any number of goroutines.
type knownIntents struct {
	mu sync.Mutex
	by map[actionOf]history.Intent
}

// mostKnown bounds the intents that are kept.
const mostKnown = 4096

func (k *knownIntents) of(a actionOf) history.Intent {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, ok := k.by[a]
	if !ok {
		i = history.Intent{ID: intentID(a.ticketID, a.action), Tool: string(a.action.Tool), Subject: a.action.OrderID,
			AmountCents: a.action.AmountCents, Reason: a.action.ReasonCode, Payload: Payload(a.action)}
		if len(k.by) >= mostKnown {
			clear(k.by)
		}
		k.by[a] = i
	}
	return i
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
		amount = strings.TrimSuffix(amount, "0") // one decimal is always left
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
func Saved(s *resolver.TaskState) *history.Saved { return new(teller).saved(s) }

// teller tells of the states of one life, and remembers what the latest proposed to do: nearly all of them ask for
// the same, and do it in that order.
type teller struct {
	ticketID string
	actions  []resolver.Action
	intents  []history.Intent // of the actions; histories share it, so it never changes
}

func (t *teller) saved(s *resolver.TaskState) *history.Saved {
	out := &history.Saved{Run: s.RunID, Status: string(s.Status), Step: s.Step, ModelCalls: s.Usage.ModelCalls}
	switch {
	case s.Proposal == nil:
	case s.Approval != nil:
		out.Approval, out.Approved = s.Approval.Fingerprint, t.proposed(s)
	case s.Proposal.Outcome == resolver.Resolve:
		out.Proposed = t.proposed(s)
	}
	out.Operations = slices.Grow(out.Operations, len(s.Operations))
	for i, op := range s.Operations {
		out.Operations = append(out.Operations, history.Operation{ID: t.id(i, s.TicketID, op.Action), Status: string(op.Status),
			Attempts: op.Attempts, RecordID: op.RecordID, Error: op.Error,
			// The executor's word for a record that was read back and is not what was asked for.
			Differs: op.Status == resolver.OperationUnknown && strings.HasPrefix(op.Error, "record ")})
	}
	return out
}

// proposed returns the intents of a state's proposal.
func (t *teller) proposed(s *resolver.TaskState) []history.Intent {
	same := func(a resolver.PlannedAction, b resolver.Action) bool { return a.Action == b }
	if t.ticketID == s.TicketID && slices.EqualFunc(s.Proposal.Actions, t.actions, same) {
		return t.intents
	}
	n := len(s.Proposal.Actions)
	*t = teller{s.TicketID, make([]resolver.Action, 0, n), slices.Grow([]history.Intent(nil), n)}
	for _, a := range s.Proposal.Actions {
		t.actions, t.intents = append(t.actions, a.Action), append(t.intents, Intent(s.TicketID, a.Action))
	}
	return t.intents
}

// id returns the id of the intent of an action that may be the one at a place.
func (t *teller) id(place int, ticketID string, a resolver.Action) string {
	if place < len(t.actions) && t.ticketID == ticketID && t.actions[place] == a {
		return t.intents[place].ID
	}
	return Intent(ticketID, a).ID
}
