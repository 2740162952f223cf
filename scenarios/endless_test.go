package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

// recovery is the refund program whose every life that finds an attempt on record does something first.
func recovery(first func(ctx context.Context, r *resolver.Runner, runID string)) scenarios.Planting {
	return scenarios.Planting{Tamper: func(r *resolver.Runner, _ scenarios.Bench) {
		r.Store = recovering{r.Store, func(ctx context.Context, runID string) { first(ctx, r, runID) }}
	}}
}

// recovering is a store that tells of every run loaded that has an attempt on record.
type recovering struct {
	resolver.Store
	first func(ctx context.Context, runID string)
}

func (s recovering) Load(ctx context.Context, runID string) (*resolver.TaskState, error) {
	st, err := s.Store.Load(ctx, runID)
	if err == nil && len(st.Operations) > 0 {
		s.first(ctx, runID)
	}
	return st, err
}

// endless are recoveries that come back to a seam for ever.
var endless = map[string]scenarios.Planting{
	"asks": recovery(func(ctx context.Context, r *resolver.Runner, _ string) {
		for {
			_, _, _ = r.Services.Payment.Operation(ctx, "0123456789abcdef")
		}
	}),
	"waits": recovery(func(ctx context.Context, r *resolver.Runner, _ string) {
		for {
			_ = r.Clock.Wait(ctx, time.Second)
		}
	}),
	"asks and waits": recovery(func(ctx context.Context, r *resolver.Runner, _ string) {
		for {
			_, _, _ = r.Services.Payment.Operation(ctx, "0123456789abcdef")
			_ = r.Clock.Wait(ctx, time.Second)
		}
	}),
	"swallows the end": recovery(func(ctx context.Context, r *resolver.Runner, _ string) {
		for range 10_000 {
			func() {
				defer func() { _ = recover() }()
				_ = r.Clock.Wait(ctx, time.Second)
			}()
		}
	}),
}

// TestSimulated_EndlessLives: a recovery that goes on for ever is a violation in memory, too, found by a search
// and by a replay, and says what it did.
func TestSimulated_EndlessLives(t *testing.T) {
	for name, p := range endless {
		t.Run(name, func(t *testing.T) {
			if name == "asks" {
				forTheGate(t)
			}
			w, settings := planted(t, p)
			r, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: 1, Settings: settings})
			if err != nil {
				t.Fatal(err)
			}
			var found explorer.Counterexample
			for _, c := range r.Found {
				if c.Invariant == "never-ends" {
					found = c
				}
			}
			if found.Plan.Faults() != 1 || !strings.Contains(found.Detail, "calls and waits") {
				t.Fatalf("found %v", r.Found)
			}
			again, err := explorer.Replay(t.Context(), w, found.Plan, explorer.Options{Settings: settings})
			if err != nil {
				t.Fatal(err)
			}
			last := again.History.Lives[len(again.History.Lives)-1]
			if !strings.Contains(fmt.Sprint(again.History.Broken), found.Detail) || !last.Hung || last.Ended != history.Failed {
				t.Errorf("replayed: %v, the last life %s %q", again.History.Broken, last.Ended, last.Error)
			}
		})
	}
}

// TestSimulated_EndlessUndisturbed: with nothing to compare with, it is the harness that can't work.
func TestSimulated_EndlessUndisturbed(t *testing.T) {
	w, settings := planted(t, scenarios.Planting{Tamper: func(r *resolver.Runner, _ scenarios.Bench) {
		for {
			_ = r.Clock.Wait(context.Background(), time.Second)
		}
	}})
	_, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: 1, Settings: settings})
	if err == nil || !strings.HasPrefix(err.Error(), `plan "run": the undisturbed run did not end: `) {
		t.Error(err)
	}
}

// TestSimulated_EndlessInThePlan: a fault planned for later than the end of an endless life can't strike.
func TestSimulated_EndlessInThePlan(t *testing.T) {
	w, settings := planted(t, endless["waits"])
	plan, err := faults.Parse("kill payment.request_refund/after#1; run; kill lease.acquire/after#1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = explorer.Replay(t.Context(), w, plan, explorer.Options{Settings: settings})
	if err == nil || !strings.Contains(err.Error(), "did not strike in life 3") {
		t.Error(err)
	}
}

// planted returns a refund program's world in memory and what its judge has to know.
func planted(t *testing.T, p scenarios.Planting) (explorer.World, check.Settings) {
	t.Helper()
	s := scenarios.Setting{}.WithDefaults()
	settings, err := scenarios.RefundScenario().Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Simulate(s)
	if err != nil {
		t.Fatal(err)
	}
	return w, settings
}

// stuckRecovery is one that does not come back to a seam before the end of the test.
func stuckRecovery(t *testing.T) scenarios.Planting {
	back := make(chan struct{})
	t.Cleanup(func() { close(back) })
	return recovery(func(context.Context, *resolver.Runner, string) { <-back })
}

// TestSimulated_StuckLives: one that never comes back to a seam can't be ended in memory. The search and the replay
// leave it behind and name it.
func TestSimulated_StuckLives(t *testing.T) {
	for _, workers := range []int{1, 2} {
		w, settings := planted(t, stuckRecovery(t))
		o := explorer.Options{Crashes: 1, Settings: settings, Workers: workers, Timeout: 300 * time.Millisecond}
		_, err := explorer.Explore(t.Context(), w, o)
		var stuck *explorer.StuckError
		if !errors.As(err, &stuck) || stuck.Plan.Faults() != 1 || len(stuck.Plan) != 2 {
			t.Fatal(err)
		}
		_, err = explorer.Replay(t.Context(), w, stuck.Plan, o)
		var again *explorer.StuckError
		if !errors.As(err, &again) || again.Plan.String() != stuck.Plan.String() {
			t.Errorf("replayed: %v, searched: %v", err, stuck)
		}
	}
}

// TestSimulated_StuckLivesAndBudget: a budget and an interruption end such a search, too, undecided.
func TestSimulated_StuckLivesAndBudget(t *testing.T) {
	w, settings := planted(t, stuckRecovery(t))
	end := time.Now().Add(300 * time.Millisecond)
	over := func() bool { return time.Now().After(end) }
	r, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: 1, Settings: settings, Timeout: time.Hour, Over: over, Budget: time.Second})
	if err != nil || r.Complete || r.Points == nil || !strings.HasPrefix(r.LeftOut, "the budget of 1s was reached: ") ||
		!strings.HasSuffix(r.LeftOut, "; a life under way has not come back") {
		t.Errorf("%v: %s", err, r.LeftOut)
	}
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	r, err = explorer.Explore(ctx, w, explorer.Options{Crashes: 1, Settings: settings, Timeout: time.Hour})
	if err != nil || !strings.HasPrefix(r.LeftOut, "the search was interrupted: ") {
		t.Errorf("%v: %s", err, r.LeftOut)
	}
	plan, err := faults.Parse("kill payment.request_refund/after#1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = explorer.Replay(ctx, w, plan, explorer.Options{Settings: settings, Timeout: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
