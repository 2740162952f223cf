package matrix_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

const mapGolden = "testdata/map.txt"

// wholeMap fills every strategy on every profile at the lesson's three kills, once for all tests.
func wholeMap(t *testing.T) history.Matrix {
	t.Helper()
	m, err := filledMap()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var filledMap = sync.OnceValues(func() (history.Matrix, error) {
	var settings []scenarios.Setting
	for _, s := range strategy.Names() {
		for _, p := range scenarios.ProviderNames() {
			settings = append(settings, scenarios.Setting{Strategy: s, Provider: p})
		}
	}
	r, err := matrix.Run(context.Background(), matrix.Request{Settings: settings, Mode: matrix.Simulate, Workers: 2,
		Points: []string{matrix.BeforeWrite, matrix.DuringCall, matrix.AfterWrite}})
	return r.Matrix, err
})

// classOf is what a cell of the map has to be, from what the profile offers.
func classOf(strategy string, p provider.Profile) history.Class {
	can := p.Capabilities()
	switch strategy {
	case "operation-id":
		if !can.Keys && !can.Lookup {
			return history.ByPerson
		}
		return history.Safe
	case "id-only":
		if can.Keys {
			return history.Safe
		}
		return history.Double
	case "lookup-only":
		if can.Lookup && can.MaxDelay == 0 {
			return history.Safe
		}
		return history.Double
	case "mark-first":
		return history.Lost
	default:
		return history.Double
	}
}

func TestMap_Golden(t *testing.T) {
	m := wholeMap(t)
	var b strings.Builder
	got := map[string]map[string]history.Class{}
	for _, e := range m.Map {
		if got[e.Strategy] == nil {
			got[e.Strategy] = map[string]history.Class{}
		}
		got[e.Strategy][e.Provider] = e.Class
		p, _ := provider.ByName(e.Provider)
		if want := classOf(e.Strategy, p); e.Class != want {
			t.Errorf("%s on %s is %s, want %s", e.Strategy, e.Provider, e.Class, want)
		}
	}
	fmt.Fprintf(&b, "%-14s", "")
	for _, s := range strategy.Names() {
		fmt.Fprintf(&b, " %-12s", s)
	}
	for _, p := range scenarios.ProviderNames() {
		fmt.Fprintf(&b, "\n%-14s", p)
		for _, s := range strategy.Names() {
			fmt.Fprintf(&b, " %-12s", got[s][p])
		}
	}
	text := strings.ReplaceAll(b.String(), " \n", "\n") + "\n"
	for strings.Contains(text, " \n") {
		text = strings.ReplaceAll(text, " \n", "\n")
	}
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(mapGolden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(mapGolden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("map (-want +got):\n%s", diff)
	}
}

// On a service that nobody can ask and that knows no keys, no strategy ends done everywhere without a
// double or a loss.
func TestMap_BlindHasNoWayOut(t *testing.T) {
	fine := map[string]bool{}
	for _, s := range strategy.Names() {
		fine[s] = true
	}
	for _, c := range wholeMap(t).Cells {
		if c.Provider == "blind" && (c.Effects != 1 || c.Status != "done") {
			fine[c.Strategy] = false
		}
	}
	for s, ok := range fine {
		if ok {
			t.Errorf("%s ends done on blind after every kill, with one effect each", s)
		}
	}
}

// Where asking or the key settles the matter within three calls, the run ends done: a strategy that hands
// everything over would be wrong, too.
func TestMap_SettledEndsDone(t *testing.T) {
	for _, c := range wholeMap(t).Cells {
		p, _ := provider.ByName(c.Provider)
		can := p.Capabilities()
		settles := c.Strategy == "operation-id" && (can.Keys || can.Lookup) || c.Strategy == "id-only" && can.Keys
		if settles && (c.Status != "done" || c.Verdict != history.Pass || c.Calls > 3) {
			t.Errorf("%s on %s at %s ends %s after %d calls: %v", c.Strategy, c.Provider, c.Point, c.Status, c.Calls, c.Violations)
		}
	}
	for _, s := range strategy.Names() {
		for _, p := range scenarios.ProviderNames() {
			sc := scenarios.RefundScenario()
			w, _, err := matrix.World(t.Context(), sc, scenarios.Setting{Strategy: s, Provider: p}, matrix.Simulate, scenarios.KillOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if end := undisturbed(t, w); end != history.Done {
				t.Errorf("%s on %s ends %s with no fault", s, p, end)
			}
		}
	}
}

func undisturbed(t *testing.T, w explorer.World) history.End {
	t.Helper()
	start, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	inc, err := w.Run(t.Context(), start, nil)
	if err != nil {
		t.Fatal(err)
	}
	return inc.Life.Ended
}
