package batch_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/batch"
	"github.com/paytwice/paytwice/scenarios/catalog"
)

func TestMain(m *testing.M) {
	catalog.ChildMain()
	os.Exit(m.Run())
}

// worlds returns a scenario's world in each mode that this system has.
func worlds(t *testing.T, name string) map[string]explorer.World {
	t.Helper()
	s, err := catalog.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	simulated, err := s.Simulate(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]explorer.World{"simulate": simulated}
	if !child.Supported {
		return all
	}
	program, err := s.Program(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	killed, err := scenarios.NewKilled(t.Context(), program, scenarios.KillOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := killed.Close(); err != nil {
			t.Error(err)
		}
	})
	all["kill"] = killed
	return all
}

func options(t *testing.T, name string) explorer.Options {
	t.Helper()
	s, err := catalog.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := s.Settings(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	return explorer.Options{Settings: settings}
}

func replay(t *testing.T, w explorer.World, name, plan string) explorer.Replayed {
	t.Helper()
	p, err := faults.Parse(plan)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explorer.Replay(t.Context(), w, p, options(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The lesson's figures, from real runs in both modes.
func TestCharges(t *testing.T) {
	cases := []struct {
		name, plan string
		charges    int
		violations []string
	}{
		{batch.NoProgress, "run", 5, nil},
		{batch.NoProgress, "kill log.charge/before#3", 7, []string{"double-write"}},
		{batch.NoProgress, "kill log.charge/after#3", 8, []string{"double-write"}},
		{batch.NoKey, "kill log.charge/before#3", 5, nil},
		{batch.NoKey, "kill log.charge/after#3", 6, []string{"double-write"}},
		{batch.Name, "kill log.charge/before#3", 5, nil},
		{batch.Name, "kill log.charge/after#3", 5, nil},
	}
	for _, c := range cases {
		for mode, w := range worlds(t, c.name) {
			t.Run(c.name+"/"+mode+"/"+c.plan, func(t *testing.T) {
				r := replay(t, w, c.name, c.plan)
				if got := len(batch.Charges(r.End)); got != c.charges {
					t.Errorf("%d charges, want %d: %v", got, c.charges, batch.Charges(r.End))
				}
				if !slices.Equal(c.violations, r.History.Violations) {
					t.Errorf("violations %v, want %v", r.History.Violations, c.violations)
				}
				if got := len(r.History.Ledger); got != c.charges {
					t.Errorf("the ledger has %d effects, want %d", got, c.charges)
				}
			})
		}
	}
}

// "Progress file and key: 5, always": at the end of every plan of up to three kills.
func TestCharges_AlwaysFive(t *testing.T) {
	ends := 0
	w := watched{worlds(t, batch.Name)["simulate"], func(s explorer.State) {
		ends++
		if diff := cmp.Diff(batch.Orders(), batch.Charges(s)); diff != "" {
			t.Errorf("charges (-want +got)\n%s", diff)
		}
	}}
	o := options(t, batch.Name)
	o.Crashes = 3
	r, err := explorer.Explore(t.Context(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	if ends == 0 || r.Verdict() != history.Pass || !r.Closed {
		t.Errorf("%d ends seen, verdict %s, closed %t: %v", ends, r.Verdict(), r.Closed, r.Found)
	}
	t.Logf("%d plans, %d states, %d points", r.PlansCovered, r.States, len(r.Points))
}

// watched is told of every state that is judged.
type watched struct {
	explorer.World
	see func(explorer.State)
}

func (w watched) Outcome(ctx context.Context, s explorer.State) (*check.Outcome, error) {
	w.see(s)
	return w.World.Outcome(ctx, s)
}

func TestTable(t *testing.T) {
	want := func(third batch.Resumed, charges int) []batch.Row {
		return []batch.Row{
			{"before the start of the step", "kill progress.save/before#5", batch.Nothing, batch.RunIt, 1},
			{"in the step, before its effect", "kill log.charge/before#3", batch.Begun, batch.Retry, 1},
			{"after its effect, before the finish", "kill log.charge/after#3", batch.Begun, third, charges},
			{"after the finish", "kill progress.save/after#6", batch.Finished, batch.Skip, 1},
		}
	}
	for name, rows := range map[string][]batch.Row{
		batch.NoKey: want(batch.Repeats, 2),
		batch.Name:  want(batch.KeySays, 1),
	} {
		for mode, w := range worlds(t, name) {
			t.Run(name+"/"+mode, func(t *testing.T) {
				got, err := batch.Table(t.Context(), w)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(rows, got); diff != "" {
					t.Errorf("table (-want +got)\n%s", diff)
				}
			})
		}
	}
}

// Up to three kills: the mended form passes, the others are caught by the invariant they name, with one
// fault.
func TestExplore(t *testing.T) {
	for _, s := range batch.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			w, err := s.Simulate(s.Setting)
			if err != nil {
				t.Fatal(err)
			}
			o := options(t, s.Name)
			o.Crashes = 3
			r, err := explorer.Explore(t.Context(), w, o)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range r.Found {
				names = append(names, f.Invariant)
				if f.Plan.Faults() != 1 {
					t.Errorf("%s needs %d faults: %s", f.Invariant, f.Plan.Faults(), f.Plan)
				}
			}
			var want []string
			if s.Broken {
				want = []string{s.Expect}
			}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("violations (-want +got)\n%s", diff)
			}
			if !r.Complete {
				t.Error(r.LeftOut)
			}
		})
	}
}

func TestModesAgree(t *testing.T) {
	if !child.Supported {
		t.Skip(scenarios.ErrNoKill)
	}
	for _, s := range batch.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			a, err := scenarios.Explorations(t.Context(), s, 1)
			if err != nil {
				t.Fatal(err)
			}
			if d := a.Difference(); d != "" {
				t.Error(d)
			}
			t.Logf("%d plans, %d states in both", a.Killed.PlansCovered, a.Killed.States)
		})
	}
}
