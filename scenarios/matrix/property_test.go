package matrix_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/scenarios"
)

// proposing is a loop of one step, whose decision is a proposal.
type proposing []resolver.Action

func (p proposing) Run(ctx context.Context, t resolver.Ticket, s *resolver.TaskState, onStep func(context.Context, *resolver.TaskState) error) error {
	proposal, err := resolver.NewProposal(t.ID, resolver.Resolve, "W2", p, "", "a property test")
	if err != nil {
		return err
	}
	for _, a := range p {
		order, err := json.Marshal(map[string]string{"order_id": a.OrderID, "customer_id": s.CustomerID})
		if err != nil {
			return err
		}
		s.Evidence = append(s.Evidence, resolver.Evidence{Tool: "get_order", Arguments: json.RawMessage(`{}`), OK: true, Result: order})
	}
	s.Step, s.Proposal = 1, proposal
	if err := s.MoveTo(resolver.WaitingApproval); err != nil {
		return err
	}
	return onStep(ctx, s)
}

// acceptable returns actions that the services accept, at most one of each tool for an order: of every
// order that nobody refunded or returned before the course's day.
func acceptable() []resolver.Action {
	data := larkfield.Dataset()
	var out []resolver.Action
	for _, o := range data.Orders {
		if slices.ContainsFunc(data.Refunds, func(r larkfield.SeedRefund) bool { return r.OrderID == o.OrderID }) ||
			slices.ContainsFunc(data.Labels, func(l larkfield.SeedLabel) bool { return l.OrderID == o.OrderID }) {
			continue
		}
		for _, p := range data.Payments {
			if p.OrderID == o.OrderID && p.Kind == "charge" && p.Status == "captured" {
				out = append(out, resolver.Action{Tool: resolver.RequestRefund, OrderID: o.OrderID, AmountCents: 1 + p.AmountCents/7, ReasonCode: "RFD-DAMAGE"})
				break
			}
		}
		i := slices.IndexFunc(data.Items, func(i larkfield.Item) bool { return i.OrderID == o.OrderID })
		if i < 0 || o.Status != "delivered" {
			continue
		}
		out = append(out, resolver.Action{Tool: resolver.CreateReturnLabel, OrderID: o.OrderID, SKU: data.Items[i].SKU, Reason: "damaged"})
		if slices.ContainsFunc(data.Products, func(p larkfield.Product) bool { return p.SKU == data.Items[i].SKU && p.Stock > 4 }) {
			out = append(out, resolver.Action{Tool: resolver.ReshipItem, OrderID: o.OrderID, SKU: data.Items[i].SKU, Quantity: 1})
		}
	}
	return out
}

// killed is a proposal carried out with one kill.
type killed struct {
	explorer.Replayed
	actions []resolver.Action
	plan    faults.Plan
}

// draws draws a proposal of 1 to 4 distinct actions and a kill at any point of its undisturbed run, and
// carries it out.
func draws(pool []resolver.Action, strategy string) *rapid.Generator[killed] {
	return rapid.Custom(func(t *rapid.T) killed {
		k := killed{actions: rapid.SliceOfNDistinct(rapid.SampledFrom(pool), 1, resolver.MaxActions, rapid.ID).Draw(t, "actions")}
		s := scenarios.Setting{Strategy: strategy}.WithDefaults()
		settings, err := scenarios.RefundScenario().Settings(s)
		if err != nil {
			t.Fatal(err)
		}
		running := ""
		w, err := scenarios.Planting{Tamper: func(r *resolver.Runner, b scenarios.Bench) {
			r.Loop = b.Seat.Loop(proposing(k.actions), &running)
		}}.Simulate(s)
		if err != nil {
			t.Fatal(err)
		}
		o := explorer.Options{Settings: settings, Once: true}
		undisturbed, err := explorer.Replay(context.Background(), w, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(undisturbed.Outcome.Ledger); got != len(k.actions) || undisturbed.History.Verdict != history.Pass {
			t.Fatalf("undisturbed: %d of %d actions, %v", got, len(k.actions), undisturbed.History.Broken)
		}
		e := rapid.SampledFrom(undisturbed.History.Lives[0].Events).Draw(t, "point")
		if k.plan, err = faults.Parse("kill " + e.Point()); err != nil {
			t.Fatal(err)
		}
		if k.Replayed, err = explorer.Replay(context.Background(), w, k.plan, o); err != nil {
			t.Fatalf("%s: %v", k.plan, err)
		}
		return k
	})
}

// wrong says which approved action did not happen exactly once, or what else is broken; empty if nothing is.
func (k killed) wrong() string {
	made := map[string]int{}
	for _, e := range k.Outcome.Ledger {
		made[fmt.Sprintf("%s %s", e.Tool, e.Subject)]++
	}
	for _, a := range k.actions {
		if n := made[fmt.Sprintf("%s %s", a.Tool, a.OrderID)]; n != 1 {
			return fmt.Sprintf("%q: %s %s happened %d times", k.plan, a.Tool, a.OrderID, n)
		}
	}
	if len(k.Outcome.Ledger) != len(k.actions) || k.History.Verdict != history.Pass {
		return fmt.Sprintf("%q: %d effects of %d actions, %v", k.plan, len(k.Outcome.Ledger), len(k.actions), k.History.Broken)
	}
	return ""
}

// TestProperty_OnceWithOperationID: whatever was approved, wherever the process is killed, each action
// happens exactly once.
func TestProperty_OnceWithOperationID(t *testing.T) {
	pool := acceptable()
	if len(pool) < 50 {
		t.Fatalf("only %d actions to draw from", len(pool))
	}
	drawn := draws(pool, "operation-id")
	rapid.Check(t, func(t *rapid.T) {
		if wrong := drawn.Draw(t, "killed").wrong(); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

// TestProperty_CanFail: the same property of naive-retry fails for some of the first draws.
func TestProperty_CanFail(t *testing.T) {
	drawn, doubled := draws(acceptable(), "naive-retry"), 0
	for seed := range 60 {
		if k := drawn.Example(seed); slices.Contains(k.History.Violations, "double-write") && k.wrong() != "" {
			doubled++
		}
	}
	if doubled == 0 || doubled == 60 {
		t.Errorf("%d of 60 draws made a change twice", doubled)
	}
	t.Logf("%d of 60 draws made a change twice", doubled)
}
