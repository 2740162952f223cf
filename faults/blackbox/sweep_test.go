package blackbox_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

func sweep(t testing.TB, cfg blackbox.Config) *blackbox.Report {
	t.Helper()
	r, err := blackbox.Sweep(context.Background(), cfg)
	if err != nil {
		t.Fatalf("%v\n%+v", err, r)
	}
	return r
}

func TestSweep_CarefulProgramPasses(t *testing.T) {
	cfg := target(t, "careful")
	cfg.ExactlyOnce, cfg.Acked = "effects", regexp.MustCompile(`^done (.*)`)
	cfg.Crashes, cfg.PowerLoss = 2, true
	r := sweep(t, cfg)
	t.Logf("%+v", r)
	t.Logf("kills: %s; power: %s; ratio %.1f", r.Kills, r.PowerLoss, r.Ratio())
	if !r.Complete || len(r.Violations) > 0 || r.Kills.Landed != r.Kills.Cases || r.Calls != 10 {
		t.Errorf("%+v", r)
	}
}

func TestSweep_CarelessProgramDoubles(t *testing.T) {
	cfg := target(t, "careless")
	cfg.ExactlyOnce = "effects"
	r := sweep(t, cfg)
	t.Logf("%+v", r)
	doubled := map[string]bool{}
	for _, v := range r.Violations {
		if v.Invariant != blackbox.DoubleWrite {
			t.Errorf("%+v", v)
		}
		doubled[v.Plan] = true
	}
	// Between an effect and its note: after the one and before the other, for each of the three.
	for i := range 3 {
		n := string(rune('1' + i))
		for _, plan := range []string{"kill sys.write[effects]/after#" + n, "kill sys.write[notes]/before#" + n} {
			if !doubled[plan] {
				t.Errorf("%s is not found", plan)
			}
		}
	}
	if len(r.Violations) != 6 {
		t.Errorf("%d violations, not 6", len(r.Violations))
	}
	var smallest []string
	for _, v := range r.Smallest() {
		smallest = append(smallest, v.Plan)
	}
	if want := []string{"kill sys.write[effects]/after#1", "kill sys.write[notes]/before#1"}; !slices.Equal(smallest, want) {
		t.Errorf("smallest %q, not %q", smallest, want)
	}
	for _, v := range r.Violations {
		c, err := blackbox.Replay(context.Background(), cfg, v.Plan, blackbox.ReplayOptions{})
		if err != nil || len(c.Violations) != 1 || c.Violations[0].Invariant != v.Invariant {
			t.Errorf("replay of %s: %+v, %v", v.Plan, c, err)
		}
	}
	if !strings.Contains(r.Kills.String(), "6 double-write") {
		t.Error(r.Kills)
	}
}

// With a bound, kills are spread over the run, and the report says that it is not whole.
func TestSweep_FewKills(t *testing.T) {
	cfg := target(t, "careless")
	cfg.ExactlyOnce, cfg.MaxKills = "effects", 4
	r := sweep(t, cfg)
	if r.Complete || r.Kills.Cases != 4 || r.Kills.Landed != 4 || r.LeftOut != "12 of 16 kills were left out, evenly" {
		t.Errorf("%+v", r)
	}
	var plans []string
	for _, v := range r.Violations {
		plans = append(plans, v.Plan)
	}
	want := []string{"kill sys.write[notes]/before#1", "kill sys.write[notes]/before#2", "kill sys.write[notes]/before#3"}
	if !slices.Equal(plans, want) {
		t.Errorf("%q, not %q", plans, want)
	}
}

// A program may keep the path of its folder in it: then what one worker has made is not another's.
func TestSweep_AbsolutePaths(t *testing.T) {
	forTheGate(t)
	for _, how := range []string{"link", "text"} {
		t.Run(how, func(t *testing.T) {
			var one *blackbox.Report
			for _, workers := range []int{1, 2} {
				cfg := target(t, "absolute", how)
				cfg.ExactlyOnce, cfg.Workers = "data/effects", workers
				cfg.PowerLoss, cfg.Power.Images = true, 20
				r := sweep(t, cfg)
				if len(r.Violations) > 0 {
					t.Errorf("%d workers: %+v", workers, r.Violations[0])
				}
				if one == nil {
					one = r
				}
				if r.States != one.States || r.Kills.States != one.Kills.States {
					t.Errorf("%d states with %d workers, %d with one", r.States, workers, one.States)
				}
				cfg.PowerLoss, cfg.Crashes, cfg.MaxKills = false, 2, 4
				if r := sweep(t, cfg); len(r.Violations) > 0 || r.Kills.Landed != r.Kills.Cases {
					t.Errorf("%d workers, two kills: %+v", workers, r)
				}
			}
		})
	}
}
