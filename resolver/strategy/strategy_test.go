package strategy_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/resolver/strategy"
)

func TestAll_NamesInOrder(t *testing.T) {
	want := []string{"operation-id", "naive-retry", "id-only", "lookup-only", "mark-first", "mark-last", "restart"}
	if diff := cmp.Diff(want, strategy.Names()); diff != "" {
		t.Error(diff)
	}
	for _, name := range want {
		s, ok := strategy.ByName(name)
		if !ok || s.Name != name || s.Doc == "" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if _, ok := strategy.ByName("hope"); ok {
		t.Error("hope is a strategy")
	}
	var senders []string
	for _, s := range strategy.All() {
		if s.SendsKey {
			senders = append(senders, s.Name)
		}
	}
	if diff := cmp.Diff([]string{"operation-id", "id-only"}, senders); diff != "" {
		t.Errorf("who sends a key: %s", diff)
	}
}

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }
func (c *clock) Wait(_ context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return nil
}

// What each strategy makes of one lost answer in a living process, and of a kill right after the change:
// the refunds there are at the end, and how the run ends.
func TestStrategies_OneLostAnswer(t *testing.T) {
	type end struct {
		Refunds int
		Status  resolver.Status
	}
	done, person, executing := resolver.Done, resolver.HandedToPerson, resolver.Executing
	for _, c := range []struct {
		strategy, provider string
		hidden, lost       end
	}{
		{"operation-id", "larkfield", end{1, done}, end{1, done}},
		{"operation-id", "no-key", end{1, done}, end{1, done}},
		{"operation-id", "blind", end{1, person}, end{0, person}},
		{"naive-retry", "larkfield", end{2, done}, end{1, done}},
		{"naive-retry", "no-key", end{2, done}, end{1, done}},
		{"id-only", "larkfield", end{1, done}, end{1, done}},
		{"id-only", "no-key", end{2, done}, end{1, done}},
		{"lookup-only", "larkfield", end{1, done}, end{1, done}},
		{"lookup-only", "no-key", end{2, done}, end{1, done}},
		{"lookup-only", "blind", end{2, done}, end{1, done}},
		{"mark-first", "larkfield", end{1, done}, end{0, done}},
		{"mark-last", "larkfield", end{2, done}, end{1, done}},
		{"restart", "larkfield", end{1, executing}, end{0, executing}},
	} {
		for trouble, want := range map[provider.Trouble]end{provider.LoseAfter: c.hidden, provider.LoseBefore: c.lost} {
			t.Run(c.strategy+"/"+c.provider+"/"+string(trouble), func(t *testing.T) {
				refunds, status, err := oneRefund(t, c.strategy, c.provider, trouble)
				if c.strategy == "restart" != errors.Is(err, resolver.ErrEnded) {
					t.Errorf("ended with %v", err)
				}
				if diff := cmp.Diff(want, end{refunds, status}); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// lossy loses the first write in the way of a trouble.
type lossy struct {
	resolver.Payment
	trouble *provider.Trouble
}

func (l lossy) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	ctx = provider.WithKnobs(ctx, provider.Knobs{Trouble: *l.trouble})
	*l.trouble = provider.NoTrouble
	return l.Payment.RequestRefund(ctx, w)
}

func oneRefund(t *testing.T, name, profileName string, trouble provider.Trouble) (int, resolver.Status, error) {
	t.Helper()
	ctx := t.Context()
	s, _ := strategy.ByName(name)
	profile, _ := provider.ByName(profileName)
	c := &clock{time.Date(2026, time.October, 9, 17, 0, 0, 0, time.UTC)}
	world := services.NewMemory(services.Config{Data: larkfield.Dataset(), Profile: profile, Now: c.Now})
	store := checkpoint.NewMemory(checkpoint.Options{Clock: c})
	task, _ := larkfield.TaskByID("T-90104")
	state := resolver.NewState(task.Ticket, "r-1", "agent", "m", 1)
	desk := world.Services(services.Caller{TicketID: task.ID})
	order, err := desk.Orders.GetOrder(ctx, task.CustomerID, task.Expected.Actions[0].OrderID)
	check(t, err)
	shown, err := json.Marshal(order)
	check(t, err)
	state.Evidence = append(state.Evidence, resolver.Evidence{Tool: "get_order", OK: true, Arguments: json.RawMessage("{}"), Result: shown})
	state.Proposal, err = resolver.NewProposal(task.ID, resolver.Resolve, "W2", task.Expected.Actions, "", "")
	check(t, err)
	check(t, state.MoveTo(resolver.WaitingApproval))
	check(t, resolver.Approve(state, resolver.RoleAgent, "", "", c.now))
	check(t, store.Create(ctx, state))
	lease, err := store.Acquire(ctx, "r-1", resolver.Holder{Host: "here", PID: 1, Started: "1"}, time.Minute)
	check(t, err)
	desk.Payment = lossy{desk.Payment, &trouble}
	x := &resolver.Executor{Store: store, Services: desk, Clock: c, Strategy: s}
	ended := x.Execute(ctx, state, lease)
	changes, err := world.Changes(ctx)
	check(t, err)
	check(t, store.Check(ctx))
	for _, ch := range changes {
		if keyless := !slices.Contains([]string{"operation-id", "id-only"}, name); keyless == (ch.OperationID == resolver.OperationID(task.ID, ch.Action)) {
			t.Errorf("%s made its change under %s", name, ch.OperationID)
		}
	}
	return len(changes), state.Status, ended
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
