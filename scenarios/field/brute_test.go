package field_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/field"
	"github.com/paytwice/paytwice/scenarios/internal/brute"
)

// bruteLives bounds, for both searches, the lives after the last fault.
const bruteLives = 5

// ending says in one line how a plan ended.
func ending(end history.End, o *check.Outcome) string {
	made := map[string]int{}
	for _, e := range o.Ledger {
		name := e.Intent
		if e.Reversed {
			name += " (taken back)"
		}
		made[name]++
	}
	var parts []string
	for name, n := range made {
		parts = append(parts, fmt.Sprintf("%s made %d time(s)", name, n))
	}
	for _, r := range o.Runs {
		line := r.Run + " is " + r.Status
		for _, op := range r.Operations {
			line += fmt.Sprintf(", %s recorded as %s", op.ID, op.Status)
		}
		parts = append(parts, line)
	}
	sort.Strings(parts)
	return string(end) + ": " + strings.Join(parts, "; ")
}

// The search and a brute force agree on what can break, and with how few faults, in every scenario.
// What ends a mended form has is the complete list in testdata: none is missing, and no other is reached.
func TestScenarios_BruteForceAgrees(t *testing.T) {
	t.Parallel()
	forTheGate(t)
	all := field.Scenarios()
	ends := make([]string, len(all))
	t.Run("scenarios", func(t *testing.T) {
		for n, s := range all {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				ends[n] = agrees(t, s, 2, kinds(t, s))
			})
		}
	})
	golden(t, "ends.golden", strings.Join(ends, ""))
}

// Three kills, where the third tells something that two do not: a bounded count of starts.
func TestScenarios_BruteForceAgrees_ThreeKills(t *testing.T) {
	t.Parallel()
	forTheGate(t)
	for _, name := range []string{"field/F01-broken", "field/F15", "field/F18", "field/F18-broken"} {
		agrees(t, named(t, name), 3, nil)
	}
}

// A few of them, all the time.
func TestScenarios_BruteForceAgrees_Some(t *testing.T) {
	for n, s := range field.Scenarios() {
		if n%6 == 0 {
			agrees(t, s, 2, kinds(t, s))
		}
	}
}

func agrees(t *testing.T, s scenarios.Scenario, depth int, kinds []faults.Event) string {
	t.Helper()
	ends := map[string]bool{}
	want, err := brute.Search{World: worldOf(t, s), Settings: settingsOf(t, s), Depth: depth, Faults: kinds, MaxLives: bruteLives,
		Ended: func(end history.End, o *check.Outcome) { ends[ending(end, o)] = true }}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := brute.Of(explored(t, s, explorer.Options{Crashes: depth, Faults: kinds, MaxLives: bruteLives, Once: true}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-brute force +search):\n%s", s.Name, diff)
	}
	if s.Broken {
		return ""
	}
	var lines []string
	for e := range ends {
		lines = append(lines, s.Name+"\t"+e+"\n")
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}
