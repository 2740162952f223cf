package graphnode_test

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/graphnode"
)

func TestMain(m *testing.M) {
	catalog.ChildMain()
	os.Exit(m.Run())
}

// worlds returns a scenario's world in each mode that this system has.
func worlds(t *testing.T, s scenarios.Scenario) map[string]explorer.World {
	t.Helper()
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

func options(t *testing.T, s scenarios.Scenario) explorer.Options {
	t.Helper()
	settings, err := s.Settings(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	return explorer.Options{Settings: settings}
}

// The lesson's table, and what a kill adds to it, from real runs in both modes.
func TestRefunds(t *testing.T) {
	const afterWrite = "kill payment.request_refund/after#1"
	cases := []struct {
		name, plan string
		nodeRuns   int
		refunds    int
		violations []string
	}{
		{graphnode.NewID, "run", 2, 2, []string{"double-write"}},
		{graphnode.Name, "run", 2, 1, nil},
		{graphnode.NewID, afterWrite, 3, 3, []string{"double-write"}},
		{graphnode.Name, afterWrite, 3, 1, nil},
		{graphnode.Name, "kill node.pause/after#1", 2, 1, nil},
		{graphnode.WriteAfter, "run", 2, 1, nil},
		{graphnode.WriteAfter, afterWrite, 3, 1, nil},
		{graphnode.WriteAfterNew, "run", 2, 1, nil},
		{graphnode.WriteAfterNew, afterWrite, 3, 2, []string{"double-write"}},
		{graphnode.WriteAfterNew, "unavailable payment.request_refund/during#1", 3, 1, nil},
		{graphnode.WriteAfterNew, "lose-request payment.request_refund/during#1", 3, 1, nil},
		{graphnode.WriteAfterNew, "lose-response payment.request_refund/during#1", 3, 2, []string{"double-write"}},
	}
	for _, c := range cases {
		s, err := catalog.ByName(c.name)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := faults.Parse(c.plan)
		if err != nil {
			t.Fatal(err)
		}
		for mode, w := range worlds(t, s) {
			t.Run(c.name+"/"+mode+"/"+c.plan, func(t *testing.T) {
				r, err := explorer.Replay(t.Context(), w, plan, options(t, s))
				if err != nil {
					t.Fatal(err)
				}
				if got := graphnode.NodeRuns(r.History); got != c.nodeRuns {
					t.Errorf("the node ran %d times, want %d", got, c.nodeRuns)
				}
				refunds, err := graphnode.Refunds(r.End)
				if err != nil {
					t.Fatal(err)
				}
				if len(refunds) != c.refunds {
					t.Errorf("%d refunds, want %d: %v", len(refunds), c.refunds, refunds)
				}
				if !slices.Equal(c.violations, r.History.Violations) {
					t.Errorf("violations %v, want %v", r.History.Violations, c.violations)
				}
			})
		}
	}
}

// The one refund carries the course's operation id.
func TestOperationID(t *testing.T) {
	s, err := catalog.ByName(graphnode.Name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explorer.Replay(t.Context(), worlds(t, s)["simulate"], nil, options(t, s))
	if err != nil {
		t.Fatal(err)
	}
	refunds, err := graphnode.Refunds(r.End)
	if err != nil {
		t.Fatal(err)
	}
	if len(refunds) != 1 || refunds[0].ID != "797fbb5bbb9f8a7e" {
		t.Errorf("refunds %v, want one under 797fbb5bbb9f8a7e", refunds)
	}
	if e := r.History.Ledger[0]; resolver.FormatCents(e.AmountCents) != "9.95" {
		t.Errorf("ledger %v, want 9.95", e)
	}
}

// Up to three kills or other faults: the mended forms pass, the others are caught by the invariant they
// name, with at most one fault: none where the pause alone doubles.
func TestExplore(t *testing.T) {
	others := []faults.Event{{Verb: faults.LoseRequest}, {Verb: faults.LoseResponse}, {Verb: faults.Unavailable}, {Verb: faults.DeliverLate, Duration: 30e9}}
	faultsNeeded := map[string]int{graphnode.NewID: 0, graphnode.WriteAfterNew: 1}
	for _, s := range graphnode.Scenarios() {
		for name, more := range map[string][]faults.Event{"kills": nil, "all faults": others} {
			t.Run(s.Name+"/"+name, func(t *testing.T) {
				w, err := s.Simulate(s.Setting)
				if err != nil {
					t.Fatal(err)
				}
				o := options(t, s)
				o.Crashes, o.Faults = 3, more
				r, err := explorer.Explore(t.Context(), w, o)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d points, %d plans, %d states, closed %t", len(r.Points), r.PlansCovered, r.States, r.Closed)
				var names []string
				for _, f := range r.Found {
					names = append(names, f.Invariant)
					if f.Plan.Faults() != faultsNeeded[s.Name] {
						t.Errorf("%s needs %d faults, want %d: %s", f.Invariant, f.Plan.Faults(), faultsNeeded[s.Name], f.Plan)
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
}

func TestModesAgree(t *testing.T) {
	forTheGate(t)
	if !child.Supported {
		t.Skip(scenarios.ErrNoKill)
	}
	for _, s := range graphnode.Scenarios() {
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

// The faults beside kills leave the same in both modes.
func TestModesAgree_Faults(t *testing.T) {
	forTheGate(t)
	for _, s := range graphnode.Scenarios() {
		all := worlds(t, s)
		for _, text := range []string{
			"lose-request payment.request_refund/during#1", "lose-response payment.request_refund/during#1",
			"unavailable payment.request_refund/during#1", "deliver-late 30s payment.request_refund/during#1",
			"kill payment.request_refund/during#1; kill payment.request_refund/during-lost#1",
		} {
			t.Run(s.Name+"/"+text, func(t *testing.T) {
				plan, err := faults.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				ends := map[string]string{}
				for mode, w := range all {
					r, err := explorer.Replay(t.Context(), w, plan, options(t, s))
					if err != nil {
						t.Fatal(mode, err)
					}
					refunds := len(r.Outcome.Ledger)
					ends[mode] = r.End.Key() + string(rune('0'+refunds)) + string(r.History.Verdict)
				}
				if kill, ok := ends["kill"]; ok && kill != ends["simulate"] {
					t.Errorf("simulated the end is\n%s\nby real kills\n%s", ends["simulate"], kill)
				}
			})
		}
	}
}
