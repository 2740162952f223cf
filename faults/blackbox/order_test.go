package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/blackbox"
)

// Two threads whose order differs from run to run, because of a lock that whoever comes first holds: the
// recorded order can't always be repeated, but every kill lands, at the call it was meant for.
func TestSweep_OrderThatCannotBeRepeated(t *testing.T) {
	forTheGate(t)
	r := sweep(t, target(t, "locked"))
	if r.Kills.Landed != 2*r.Calls || r.Calls != 4 || len(r.Violations) > 0 {
		t.Errorf("%+v", r)
	}
	t.Logf("%d reordered, %d retried of %d", r.Reordered, r.Retried, r.Kills.Landed)
}

func TestKill_PointOfAnotherRun(t *testing.T) {
	forTheGate(t)
	long := target(t, "careful", "5")
	tr := record(t, long)
	var notReached *blackbox.NotReachedError
	last := tr.Calls[len(tr.Calls)-1]
	_, err := blackbox.Kill(context.Background(), target(t, "careful", "3"), tr, last.Point(faults.Before))
	if !errors.As(err, &notReached) || notReached.Point != last.Point(faults.Before) || notReached.Calls != 10 || !strings.Contains(err.Error(), "ended with status 0") {
		t.Errorf("error %v", err)
	}
	var diverged *blackbox.DivergedError
	_, err = blackbox.Kill(context.Background(), target(t, "kinds"), tr, last.Point(faults.Before))
	if !errors.As(err, &diverged) || diverged.Call.Path != "d" {
		t.Errorf("error %v", err)
	}
	p := blackbox.Call{Name: "write", Path: "effects", N: 99}.Point(faults.After)
	if _, err = blackbox.Kill(context.Background(), long, tr, p); !errors.As(err, &notReached) {
		t.Errorf("error %v", err)
	}
	p.Seam = "checkpoint"
	if _, err = blackbox.Kill(context.Background(), long, tr, p); !errors.Is(err, blackbox.ErrConfig) {
		t.Errorf("error %v", err)
	}
}

// A bug at one of many calls: it is found, at that call and at no other.
func TestSweep_OneBugAmongManyCalls(t *testing.T) { oneBug(t, 150, 43) }

// Every time: twenty sweeps of five hundred calls with PAYTWICE_DEEP, which take minutes, and five in the gate.
func TestSweep_OneBugEveryTime(t *testing.T) {
	rounds := 20
	if !deep() {
		forTheGate(t)
		rounds = 5
	}
	const calls = 500
	for i := range rounds {
		oneBug(t, calls, (2*i+1)*calls/(4*rounds)) // somewhere else each time
	}
}

// oneBug sweeps over a program with a bug at one of its effects, which are half of its calls.
func oneBug(t *testing.T, calls, effect int) {
	t.Helper()
	cfg := target(t, "late", strconv.Itoa(calls/2-1), strconv.Itoa(effect))
	cfg.ExactlyOnce, cfg.Sides = "effects", blackbox.AfterOnly
	r := sweep(t, cfg)
	if r.Calls != calls || r.Kills.Landed != calls {
		t.Errorf("%d calls, %d landed", r.Calls, r.Kills.Landed)
	}
	var plans []string
	for _, v := range r.Violations {
		plans = append(plans, v.Invariant+" "+v.Plan)
	}
	if want := []string{fmt.Sprintf("double-write kill sys.write[effects]/after#%d", effect+1)}; !slices.Equal(plans, want) {
		t.Errorf("found %q, not %q", plans, want)
	}
}

// A bug in the recovery shows only when the recovery is killed too.
func TestSweep_SecondKill(t *testing.T) {
	cfg := target(t, "relapse")
	cfg.ExactlyOnce = "effects"
	if r := sweep(t, cfg); len(r.Violations) > 0 {
		t.Errorf("with one kill: %+v", r.Violations)
	}
	cfg.Crashes = 2
	r := sweep(t, cfg)
	if len(r.Violations) == 0 {
		t.Fatalf("nothing found: %+v", r)
	}
	for _, v := range r.Violations {
		if v.Invariant != blackbox.DoubleWrite || strings.Count(v.Plan, "kill ") != 2 {
			t.Errorf("%+v", v)
		}
	}
	t.Logf("%d kills, %d states, ratio %.1f; %s", r.Kills.Landed, r.States, r.Ratio(), r.Violations[0].Plan)
	c, err := blackbox.Replay(context.Background(), cfg, r.Violations[0].Plan, blackbox.ReplayOptions{})
	if err != nil || len(c.Violations) != 1 || len(c.Lives) != 3 || c.Lives[1].Ended != "killed" {
		t.Errorf("%+v, %v", c, err)
	}
}

// A recovery that takes two lives is killed in each of them.
func TestSweep_SecondKillInALaterLife(t *testing.T) {
	cfg := target(t, "relay")
	cfg.ExactlyOnce = "effects"
	if r := sweep(t, cfg); len(r.Violations) > 0 {
		t.Errorf("with one kill: %+v", r.Violations)
	}
	cfg.Crashes = 2
	r := sweep(t, cfg)
	if len(r.Violations) == 0 {
		t.Fatalf("nothing found: %+v", r)
	}
	for _, v := range r.Violations {
		if v.Invariant != blackbox.DoubleWrite || !strings.Contains(v.Plan, "; run; kill ") {
			t.Errorf("%+v", v)
		}
	}
	t.Logf("%s; %s", r.Kills, r.Violations[0].Plan)
	c, err := blackbox.Replay(context.Background(), cfg, r.Violations[0].Plan, blackbox.ReplayOptions{})
	if err != nil || len(c.Violations) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	var ended []string
	for _, l := range c.Lives {
		ended = append(ended, l.Ended)
	}
	if want := []string{"killed", "error", "killed", "done"}; !slices.Equal(ended, want) {
		t.Errorf("lives ended %q, not %q", ended, want)
	}
	for _, plan := range []string{"run; kill sys.openat[begun]/after#1", "kill sys.openat[begun]/after#1; run"} {
		if _, err := blackbox.Replay(context.Background(), cfg, plan, blackbox.ReplayOptions{}); !errors.Is(err, blackbox.ErrConfig) {
			t.Errorf("%s: error %v", plan, err)
		}
	}
}

// Whatever the number of workers, the report is the same.
func TestSweep_WorkersDoNotMatter(t *testing.T) {
	forTheGate(t)
	var want string
	for _, workers := range []int{1, 3} {
		cfg := target(t, "careless", "5")
		cfg.ExactlyOnce, cfg.Workers, cfg.Crashes = "effects", workers, 2
		r := sweep(t, cfg)
		var b strings.Builder
		for _, v := range r.Violations {
			b.WriteString(v.Invariant + " " + v.Plan + " " + v.Detail + "\n")
		}
		got := r.Kills.String() + "\n" + b.String()
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers:\n%s\none:\n%s", workers, got, want)
		}
	}
}
