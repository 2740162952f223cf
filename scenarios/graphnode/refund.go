package graphnode

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// PaymentFile is where the payment service keeps its refunds.
const PaymentFile = "payment.sqlite"

// ticket is whose refund it is.
const ticket = "T-90104"

// action is the lesson's refund of 9.95.
func action() resolver.Action {
	return resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-793996", AmountCents: 9_95, ReasonCode: "RFD-LATE"}
}

func intent() history.Intent { return seams.Intent(ticket, action()) }

// refundSite is the one write of the node.
var refundSite = faults.Site{Seam: "payment", Operation: "request_refund"}

// Refund is one refund as the service keeps it.
type Refund struct {
	ID     string    `json:"id"`
	Record string    `json:"record"`
	At     time.Time `json:"at"`
}

// receipt is the service's answer. Repeated: the id was known, and nothing was done.
type receipt struct {
	Record   string `json:"record"`
	Repeated bool   `json:"repeated,omitempty"`
}

// id returns what the next request carries: the operation id of the ticket and the action, or an id that
// no request carried before.
func (g *graph) id() string {
	if g.OperationID {
		return resolver.OperationID(ticket, action())
	}
	g.calls++
	return fmt.Sprintf("new-%d-%d", g.Clock.Now().UnixNano(), g.calls)
}

// refund asks the payment service for the refund. After no answer the life ends: the graph is started
// again and runs the node from its start.
func (g *graph) refund(ctx context.Context) (string, error) {
	want := intent()
	request := history.Request{Write: true, Intent: want.ID, Key: g.id(), What: want.Payload, Payload: ticket + " " + want.Payload}
	got, err := scenarios.Call(ctx, g.Hands, refundSite, request.Key, scenarios.Told[receipt]{
		Before: func(e *history.Event) { r := request; e.Request = &r },
		After: func(e *history.Event, r receipt, err error) {
			if err == nil {
				e.Answer, e.RecordID, e.Repeated = history.Applied, r.Record, r.Repeated
			}
		}})
	if err != nil {
		return "", fmt.Errorf("refund: %w", err)
	}
	return got.Record, nil
}

// payment is the payment service: it knows each id that it has seen, and answers a repeat with the first
// result.
type payment struct {
	texts scenarios.Texts
	now   func() time.Time
}

// Call implements scenarios.Service.
func (p payment) Call(ctx context.Context, site faults.Site, body []byte) (any, error) {
	var id string
	if err := json.Unmarshal(body, &id); err != nil || site != refundSite || id == "" {
		return nil, fmt.Errorf("%s %s is no call of the payment service", site, body)
	}
	var got receipt
	err := scenarios.UpdateValue(ctx, p.texts, PaymentFile, func(refunds *[]Refund) error {
		for _, r := range *refunds {
			if r.ID == id {
				got = receipt{r.Record, true}
				return nil
			}
		}
		got = receipt{Record: fmt.Sprintf("RF-%d", len(*refunds)+1)}
		*refunds = append(*refunds, Refund{id, got.Record, p.now()})
		return nil
	})
	return got, err
}

// Happen implements scenarios.Service: nobody else refunds here.
func (p payment) Happen(_ context.Context, name string) error {
	return &scenarios.UnknownError{Kind: "world event", Name: name}
}
