package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/faults/blackbox"
	"github.com/paytwice/paytwice/scenarios"
)

// The resolver's own command, killed at its system calls, and the simulation, killed at its seams, know
// nothing of each other. What a kill leaves and how it ends, as (status, operations, ledger), must be the
// same set.
func TestModes_BlackBox(t *testing.T) {
	forTheGate(t)
	kills, ends := approvals(t, 0)
	if diff := cmp.Diff(simulatedKills(t), kills); diff != "" {
		t.Errorf("after a kill (-simulated +black box):\n%s", diff)
	}
	if diff := cmp.Diff(simulatedEnds(t), ends); diff != "" {
		t.Errorf("at the end (-simulated +black box):\n%s", diff)
	}
	t.Logf("after a kill:\n  %s\nat the end:\n  %s", strings.Join(kills, "\n  "), strings.Join(ends, "\n  "))
}

// A few kills, and nothing that the simulation does not know.
func TestModes_BlackBoxFewKills(t *testing.T) {
	forTheGate(t)
	kills, ends := approvals(t, 4)
	for _, c := range []struct{ simulated, seen []string }{{simulatedKills(t), kills}, {simulatedEnds(t), ends}} {
		for _, s := range c.seen {
			if !slices.Contains(c.simulated, s) {
				t.Errorf("the simulation does not know %s", s)
			}
		}
	}
}

const approvedRun = "T-90104-agent-chat-small-1"

// approvals kills resolver approve at its system calls, at most so many or, for 0, at all, and goes on with
// approve or resume. It returns what the kills left and how it ended, each different text once, sorted.
func approvals(t *testing.T, atMost int) (kills, ends []string) {
	t.Helper()
	if err := blackbox.Available(); errors.Is(err, blackbox.ErrPlatform) || errors.Is(err, blackbox.ErrUnavailable) {
		t.Skip(err)
	}
	dir := t.TempDir()
	resolver, template, seen := filepath.Join(dir, "resolver"), filepath.Join(dir, "template"), filepath.Join(dir, "seen")
	run(t, "../cmd/resolver", "go", "build", "-o", resolver, ".")
	for _, d := range []string{template, filepath.Join(seen, "kill"), filepath.Join(seen, "end")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run(t, template, resolver, "run", "T-90104")
	keep := func(moment string) string {
		return fmt.Sprintf("cp work/* $(mktemp -d %s/XXXXXX)", filepath.Join(seen, moment))
	}
	approve := resolver + " approve " + approvedRun + " --as agent"
	r, err := blackbox.Sweep(t.Context(), blackbox.Config{
		Command: strings.Fields(approve), Template: template, Env: []string{"PATH=" + os.Getenv("PATH"), "RESOLVER_DIR="},
		Recover: []string{"/bin/sh", "-c", keep("kill") + " && { " + approve + " || " + resolver + " resume " + approvedRun + "; }"},
		Check:   []string{"/bin/sh", "-c", keep("end")},
		Sides:   blackbox.AfterOnly, MaxKills: atMost,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d durable calls; %s", r.Calls, r.Kills)
	if len(r.Violations) > 0 || r.Kills.Landed != r.Kills.Cases || atMost == 0 && r.Kills.Landed != r.Calls {
		t.Errorf("%+v", r)
	}
	return projections(t, filepath.Join(seen, "kill"), r.States, 1), projections(t, filepath.Join(seen, "end"), r.States, 0)
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "RESOLVER_DIR=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// projections reads the work folders that were kept. More than one refund is an error anywhere, and fewer
// than one at the end.
func projections(t *testing.T, dir string, atLeast, missing int) []string {
	t.Helper()
	kept, err := os.ReadDir(dir)
	if err != nil || len(kept) < atLeast {
		t.Fatalf("%d folders in %s, not %d: %v", len(kept), dir, atLeast, err)
	}
	program, err := scenarios.RefundScenario().Program(scenarios.Setting{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, k := range kept {
		o := outcomeIn(t, program, filepath.Join(dir, k.Name()))
		if n := len(o.Ledger); n > 1 || n < 1-missing {
			t.Errorf("%s: %d refunds", filepath.Join(dir, k.Name()), n)
		}
		found[projection(o)] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func outcomeIn(t *testing.T, p scenarios.Program, dir string) *check.Outcome {
	t.Helper()
	clock := scenarios.NewClock(scenarios.Today)
	outside, err := p.Open(t.Context(), dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	durable, err := p.Read(t.Context(), dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	return durable.Outcome(clock.Now())
}

// projection is what both modes must agree on. Numbers of records and times are left out.
func projection(o *check.Outcome) string {
	var b strings.Builder
	for _, r := range o.Runs {
		b.WriteString(r.Status)
		for _, op := range r.Operations {
			fmt.Fprintf(&b, ", operation %s %s after %d calls", op.ID, op.Status, op.Attempts)
		}
	}
	for _, e := range o.Ledger {
		fmt.Fprintf(&b, "; %s %s %d of operation %s", e.Tool, e.Subject, e.AmountCents, e.OperationID)
	}
	return b.String()
}

// approvalWorld is the simulation from the moment at which the proposal waits for its approval.
func approvalWorld(t *testing.T) (explorer.World, explorer.State) {
	t.Helper()
	w, err := scenarios.RefundScenario().Simulate(scenarios.Setting{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range slices.Backward(points(t, w)) {
		if o := outcomeOf(t, w, p.State); len(o.Runs) == 1 && o.Runs[0].Status == "waiting_approval" {
			return w, p.State
		}
	}
	t.Fatal("the simulation never waits for an approval")
	return nil, nil
}

func outcomeOf(t *testing.T, w explorer.World, s explorer.State) *check.Outcome {
	t.Helper()
	o, err := w.Outcome(context.WithoutCancel(t.Context()), s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// simulatedKills returns what one kill leaves, and simulatedEnds how it ends with one kill or none.
func simulatedKills(t *testing.T) []string {
	w, start := approvalWorld(t)
	found := map[string]bool{}
	for _, p := range life(t, w, start).Points {
		found[projection(outcomeOf(t, w, p.State))] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func simulatedEnds(t *testing.T) []string {
	w, start := approvalWorld(t)
	first := life(t, w, start)
	found := map[string]bool{projection(outcomeOf(t, w, first.Next)): true}
	for _, p := range first.Points {
		found[projection(outcomeOf(t, w, life(t, w, p.State).Next))] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func life(t *testing.T, w explorer.World, from explorer.State) explorer.Incarnation {
	t.Helper()
	inc, err := w.Run(t.Context(), from, nil)
	if err != nil {
		t.Fatal(err)
	}
	return inc
}
