package scenarios_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/scenarios"
)

// manyActions is a ticket of n actions, past what the loop would propose: a return label for each of n
// orders of the ticket's customer.
func manyActions(n int) scenarios.Planting {
	order := func(i int) string { return fmt.Sprintf("LK-9%05d", i) }
	customer := ""
	for _, t := range larkfield.Tasks() {
		if t.ID == scenarios.DefaultTicket {
			customer = t.CustomerID
		}
	}
	return scenarios.Planting{
		Data: func(d *larkfield.Data) *larkfield.Data {
			c := *d
			for i := range n {
				c.Orders = append(c.Orders, larkfield.Order{OrderID: order(i), CustomerID: customer, Status: "delivered",
					OrderedOn: "2026-09-01", ShippedOn: "2026-09-02", DeliveredOn: "2026-09-05", Currency: "CAD"})
				c.Items = append(c.Items, larkfield.Item{OrderID: order(i), SKU: "PLANTER", Product: "Planter", Quantity: 1, UnitPriceCents: 1000, Box: 1})
			}
			return &c
		},
		Tamper: func(r *resolver.Runner, b scenarios.Bench) {
			r.Loop = proposer(func(s *resolver.TaskState) {
				p := &resolver.Proposal{Outcome: resolver.Resolve, Rule: "many", Reason: "many", Reply: "many"}
				var orders []resolver.Order
				for i := range n {
					a := resolver.Action{Tool: resolver.CreateReturnLabel, OrderID: order(i), SKU: "PLANTER", Reason: "damaged"}
					p.Actions = append(p.Actions, resolver.PlannedAction{Action: a, Rollback: resolver.RollbackInBand, RollbackText: "void the label"})
					orders = append(orders, resolver.Order{OrderID: order(i), CustomerID: s.CustomerID})
				}
				result, err := json.Marshal(orders)
				if err != nil {
					panic(err)
				}
				s.Evidence = append(s.Evidence, resolver.Evidence{Tool: "get_customer_orders", Arguments: json.RawMessage("{}"), OK: true, Result: result})
				s.Proposal, s.Step = p, 1
			})
		},
	}
}

// proposer is a loop of one step.
type proposer func(*resolver.TaskState)

func (p proposer) Run(ctx context.Context, _ resolver.Ticket, s *resolver.TaskState, onStep func(context.Context, *resolver.TaskState) error) error {
	p(s)
	if err := s.MoveTo(resolver.WaitingApproval); err != nil {
		return err
	}
	return onStep(ctx, s)
}

func exploreMany(t testing.TB, n, crashes int) explorer.Result {
	t.Helper()
	s := scenarios.Setting{}.WithDefaults()
	w, err := manyActions(n).Simulate(s)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := scenarios.RefundScenario().Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: crashes, Settings: settings, Once: true, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete || len(r.Found) > 0 {
		t.Fatalf("%d actions: %s, %v", n, r.LeftOut, r.Found)
	}
	return r
}

// States grow linearly with the number of actions: twice the actions, twice the further states.
func TestExplore_LinearInActions(t *testing.T) {
	forTheGate(t)
	const most = 32
	for crashes := 1; crashes <= 3; crashes++ {
		states := map[int]int{}
		for n := 1; n <= most; n *= 2 {
			states[n] = exploreMany(t, n, crashes).States
		}
		perAction := states[2] - states[1]
		for n := 2; n <= most; n *= 2 {
			if got, want := states[n], states[1]+perAction*(n-1); got != want {
				t.Errorf("%d kills, %d actions: %d states, linear would be %d", crashes, n, got, want)
			}
		}
		t.Logf("%d kills: %d states an action, %d besides", crashes, perAction, states[1]-perAction)
	}
}
