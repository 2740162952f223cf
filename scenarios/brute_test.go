package scenarios_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/internal/brute"
)

// startsAt is a world that starts where another one has got to.
type startsAt struct {
	explorer.World
	state explorer.State
}

func (w startsAt) Start(context.Context) (explorer.State, error) { return w.state, nil }

// fromApproval starts where the proposal is saved and waits: the loop before it has no writes, and its
// points only multiply what the others find.
func fromApproval(t *testing.T, w explorer.World, f []faults.Event) explorer.World {
	t.Helper()
	w.(explorer.Foresighted).Foresee(f)
	start, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	inc, err := w.Run(t.Context(), start, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range inc.Points {
		if s := inc.Life.Events[p.Events-1].Saved; s != nil && s.Status == "waiting_approval" && p.Point.Position == faults.After {
			return startsAt{w, p.State}
		}
	}
	t.Fatal("the program asked for no approval")
	return nil
}

// compare searches both ways.
func compare(t *testing.T, s scenarios.Setting, depth int, f []faults.Event, whole bool) {
	t.Helper()
	sc := scenarios.RefundScenario()
	w, err := sc.Simulate(s)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := sc.Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	if !whole {
		w = fromApproval(t, w, f)
	}
	compareWorlds(t, s, w, settings, depth, f)
}

func compareWorlds(t *testing.T, s scenarios.Setting, w explorer.World, settings check.Settings, depth int, f []faults.Event) {
	t.Helper()
	r, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: depth, Faults: f, Settings: settings, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := brute.Search{World: w, Settings: settings, Depth: depth, Faults: f, MaxLives: explorer.DefaultMaxLives}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, brute.Of(r)); diff != "" {
		t.Errorf("%s on %s with %v (-brute force +search):\n%s", s.Strategy, s.Provider, f, diff)
	}
}

func TestExplore_BruteForceDepth3(t *testing.T) {
	for _, s := range []string{"operation-id", "naive-retry"} {
		t.Run(s, func(t *testing.T) {
			if s != "naive-retry" {
				forTheGate(t)
			}
			t.Parallel()
			compare(t, scenarios.Setting{Strategy: s}.WithDefaults(), 3, nil, gated())
		})
	}
}

// The whole map, two kills. Outside the gate every strategy meets two profiles and every profile two strategies.
func TestExplore_BruteForceMap(t *testing.T) {
	for i, s := range strategy.Names() {
		for j, p := range scenarios.ProviderNames() {
			t.Run(s+"/"+p, func(t *testing.T) {
				if s == "restart" || (i+j)%5 != 0 {
					forTheGate(t)
				}
				t.Parallel()
				compare(t, scenarios.Setting{Strategy: s, Provider: p}.WithDefaults(), 2, nil, false)
			})
		}
	}
}

// Every verb, two faults, on settings that treat it differently.
func TestExplore_BruteForceFaults(t *testing.T) {
	forTheGate(t)
	for _, c := range []struct{ fault, strategy, provider string }{
		{"lose-request", "operation-id", "larkfield"}, {"lose-request", "operation-id", "no-key"},
		{"lose-response", "operation-id", "no-key"}, {"lose-response", "naive-retry", "larkfield"}, {"lose-response", "restart", "larkfield"},
		{"deliver-late 1s", "operation-id", "key-only"}, {"deliver-late 5s", "operation-id", "no-key"}, {"deliver-late 30s", "operation-id", "larkfield"},
		{"deliver-late 30s", "lookup-only", "success-only"}, {"deliver-late 5s", "id-only", "blind"},
		{"unavailable", "operation-id", "replay-all"}, {"unavailable", "operation-id", "larkfield"}, {"unavailable", "mark-last", "no-key"},
		{"refuse", "operation-id", "transient-flag"}, {"refuse", "naive-retry", "no-key"},
		{"lag 5s", "operation-id", "no-key"}, {"lag 3s", "operation-id", "larkfield"}, {"lag 5s", "lookup-only", "larkfield"},
		{"advance 25h", "operation-id", "replay-all"}, {"advance 25h", "id-only", "key-only"}, {"advance 9m", "id-only", "scoped-token"},
		{"world colleague-refunds", "operation-id", "larkfield"}, {"world colleague-refunds", "operation-id", "key-only"},
		{"world change-fails", "operation-id", "latest-status"}, {"world change-fails", "operation-id", "resume"}, {"world change-fails", "id-only", "replay-all"},
		{"pause 2m", "operation-id", "larkfield"}, {"pause 2m", "operation-id", "no-key"}, {"pause 10s", "naive-retry", "larkfield"},
		{"resumers 2", "operation-id", "larkfield"}, {"resumers 3", "naive-retry", "no-key"}, {"resumers 4", "restart", "larkfield"},
	} {
		t.Run(fmt.Sprintf("%s/%s/%s", c.fault, c.strategy, c.provider), func(t *testing.T) {
			t.Parallel()
			compare(t, scenarios.Setting{Strategy: c.strategy, Provider: c.provider}.WithDefaults(), 2, []faults.Event{event(t, c.fault)}, false)
		})
	}
}

// Time matters after several restarts: how old a change is, longer than the service says once a look-up may
// lag more, and how soon a request under way arrives. These start where a first life has left something.
func TestExplore_BruteForceTime(t *testing.T) {
	for _, c := range []struct{ strategy, provider, first, fault string }{
		{"lookup-only", "larkfield", "kill payment.request_refund/during#1", "lag 3s"},
		{"operation-id", "no-key", "deliver-late 3s payment.request_refund/during#1, kill payment.request_refund/after#1", ""},
		{"lookup-only", "larkfield", "deliver-late 3s payment.request_refund/during#1, kill payment.request_refund/after#1", ""},
	} {
		t.Run(c.first+" "+c.fault+" "+c.provider, func(t *testing.T) {
			if c.fault == "" {
				forTheGate(t)
			}
			t.Parallel()
			s := scenarios.Setting{Strategy: c.strategy, Provider: c.provider}.WithDefaults()
			sc := scenarios.RefundScenario()
			w, err := sc.Simulate(s)
			if err != nil {
				t.Fatal(err)
			}
			settings, err := sc.Settings(s)
			if err != nil {
				t.Fatal(err)
			}
			var f []faults.Event
			if c.fault != "" {
				f = append(f, event(t, c.fault))
			}
			first, err := faults.Parse(c.first)
			if err != nil {
				t.Fatal(err)
			}
			inc, err := w.Run(t.Context(), fromApproval(t, w, f).(startsAt).state, first.Life(0))
			if err != nil {
				t.Fatal(err)
			}
			compareWorlds(t, s, startsAt{w, inc.Next}, settings, 3, f)
		})
	}
}

// Several kinds at once, in one life and across lives.
func TestExplore_BruteForceMixed(t *testing.T) {
	forTheGate(t)
	for _, c := range [][]string{{"advance 25h", "world colleague-refunds"}, {"deliver-late 30s", "advance 25h"}, {"lose-response", "world change-fails"}} {
		t.Run(strings.Join(c, "+"), func(t *testing.T) {
			t.Parallel()
			var f []faults.Event
			for _, text := range c {
				f = append(f, event(t, text))
			}
			compare(t, scenarios.Setting{Provider: "replay-all"}.WithDefaults(), 2, f, false)
		})
	}
}

// event returns a fault without its point.
func event(t *testing.T, text string) faults.Event {
	t.Helper()
	e, err := faults.ParseFault(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
