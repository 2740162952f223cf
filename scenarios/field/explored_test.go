package field_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/field"
)

var update = flag.Bool("update", false, "write the goldens again")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// The broken form is exposed by the invariant that must catch it, and the smallest plan replays.
func TestBroken_SmallestPlan(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for _, s := range field.Scenarios() {
		if !s.Broken {
			continue
		}
		r := explored(t, s, explorer.Options{Crashes: 1, Faults: kinds(t, s)})
		if len(r.Found) == 0 {
			r = explored(t, s, explorer.Options{Crashes: 2, Faults: kinds(t, s)})
		}
		caught := false
		for _, c := range r.Found {
			if c.Invariant != s.Expect {
				continue
			}
			caught = true
			short := trimmed(c.Plan)
			fmt.Fprintf(&lines, "%s\t%s\t%d\t%s\n", s.Name, c.Invariant, c.Plan.Faults(), short)
			again := replayed(t, s, short.String()).History
			if !strings.Contains(strings.Join(again.Violations, " "), s.Expect) {
				t.Errorf("%s: the smallest plan %q replays to %v", s.Name, short, again.Violations)
			}
		}
		if !caught || !r.Complete {
			t.Errorf("%s: %s was not found among %v (complete: %t)", s.Name, s.Expect, r.Found, r.Complete)
		}
	}
	golden(t, "smallest.golden", lines.String())
}

// trimmed returns a plan without the undisturbed lives at its end, which follow anyway.
func trimmed(p faults.Plan) faults.Plan {
	for len(p) > 0 && len(p[len(p)-1]) == 0 {
		p = p[:len(p)-1]
	}
	return p
}

// The mended form breaks nothing: under kills and its own faults to depth 2, under kills to depth 3, and
// under kills on the service that the gate checks everything on.
func TestMended_Passes(t *testing.T) {
	t.Parallel()
	for _, s := range mended() {
		passes(t, s, explorer.Options{Crashes: 2, Faults: kinds(t, s)})
		passes(t, s, explorer.Options{Crashes: 3})
		s.Setting.Provider = scenarios.DefaultProvider
		passes(t, s, explorer.Options{Crashes: 2})
	}
}

func passes(t *testing.T, s scenarios.Scenario, o explorer.Options) {
	t.Helper()
	r := explored(t, s, o)
	for _, c := range r.Found {
		t.Errorf("%s on %s, depth %d, %d faults: %s by %q: %s", s.Name, s.Setting.Provider, o.Crashes, len(o.Faults), c.Invariant, c.Plan, c.Detail)
	}
	if !r.Complete {
		t.Errorf("%s on %s: %s", s.Name, s.Setting.Provider, r.LeftOut)
	}
}

// Two searches give one result, whatever the number of workers, and each life is run twice and compared.
func TestScenarios_Deterministic(t *testing.T) {
	t.Parallel()
	for _, s := range field.Scenarios() {
		one := explored(t, s, explorer.Options{Crashes: 1, Faults: kinds(t, s)})
		two := explored(t, s, explorer.Options{Crashes: 1, Faults: kinds(t, s), Workers: 4})
		if diff := cmp.Diff(one, two); diff != "" {
			t.Errorf("%s (-one +two):\n%s", s.Name, diff)
		}
	}
}

// Nothing of a life stays behind in a machine: a world that has run other plans says the same as a fresh
// one.
func TestSimulate_NothingStaysBehind(t *testing.T) {
	t.Parallel()
	for _, s := range field.Scenarios() {
		used := worldOf(t, s)
		o := explorer.Options{Crashes: 1, Faults: kinds(t, s), Settings: settingsOf(t, s)}
		if _, err := explorer.Explore(context.Background(), used, o); err != nil {
			t.Fatal(err)
		}
		again, err := explorer.Replay(context.Background(), used, faults.Plan{}, o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(replayed(t, s, "run").History, again.History); diff != "" {
			t.Errorf("%s (-fresh +used):\n%s", s.Name, diff)
		}
	}
}
