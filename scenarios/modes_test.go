package scenarios_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// modes is one setting in memory and by real kills.
type modes struct {
	simulated, killed explorer.World
	settings          check.Settings
}

func bothModes(t *testing.T, s scenarios.Setting) modes {
	t.Helper()
	if !child.Supported {
		t.Skip("processes can't really be killed here")
	}
	sc := scenarios.RefundScenario()
	settings, err := sc.Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	simulated, err := sc.Simulate(s)
	if err != nil {
		t.Fatal(err)
	}
	program, err := sc.Program(s)
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
	return modes{simulated, killed, settings}
}

// account is all that two runs of one plan must agree on.
type account struct {
	Verdict    history.Verdict
	Violations []string
	Ledger     []history.Effect
	Runs       []history.Saved
	Received   map[string]int
	Ended      []history.End
	Events     [][]string
	Processes  []int
}

func (m modes) account(t *testing.T, w explorer.World, plan faults.Plan) account {
	t.Helper()
	r, err := explorer.Replay(t.Context(), w, plan, explorer.Options{Settings: m.settings, Once: true})
	if err != nil {
		t.Fatalf("%s: %v", plan, err)
	}
	a := account{Verdict: r.History.Verdict, Violations: r.History.Violations, Ledger: r.Outcome.Ledger, Runs: r.Outcome.Runs, Received: r.Outcome.Received}
	for _, l := range r.History.Lives {
		a.Ended = append(a.Ended, l.Ended)
		var events []string
		processes := map[int]bool{}
		for _, e := range l.Events {
			processes[e.Process] = true
			events = append(events, fmt.Sprintf("%d %s.%s/%s#%d of %d at %s: %s %s %s", e.N, e.Seam, e.Operation, e.Position, e.Call, e.Process, e.At.UTC(), e.Answer, e.RecordID, e.Injected))
		}
		a.Events = append(a.Events, events)
		a.Processes = append(a.Processes, len(processes))
	}
	return a
}

func (m modes) agree(t *testing.T, plan faults.Plan) {
	t.Helper()
	if diff := cmp.Diff(m.account(t, m.simulated, plan), m.account(t, m.killed, plan), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("plan %q (-simulated +killed):\n%s", plan, diff)
	}
}

// A simulated kill and a real one leave the same, at every point.
func TestModes_SingleKills(t *testing.T) {
	forTheGate(t)
	for _, s := range []string{"operation-id", "naive-retry"} {
		t.Run(s, func(t *testing.T) {
			if s != "operation-id" {
				forTheGate(t)
			}
			t.Parallel()
			m := bothModes(t, scenarios.Setting{Strategy: s}.WithDefaults())
			m.agree(t, nil)
			for _, p := range points(t, m.simulated) {
				m.agree(t, faults.Plan{{faults.KillAt(p.Point)}})
			}
		})
	}
}

func points(t *testing.T, w explorer.World) []explorer.Passage {
	t.Helper()
	start, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	inc, err := w.Run(t.Context(), start, nil)
	if err != nil {
		t.Fatal(err)
	}
	return inc.Points
}

// Plans of up to three kills, drawn by a seed from those that a search covers.
func TestModes_DrawnPlans(t *testing.T) {
	n := 10
	switch {
	case os.Getenv("PAYTWICE_DEEP") != "":
		n = 200
	case gated():
		n = 50
	}
	const seed = 20261009
	draw := rand.New(rand.NewPCG(seed, 0))
	m := bothModes(t, scenarios.Setting{}.WithDefaults())
	for range n {
		m.agree(t, drawn(t, m.simulated, draw, 1+draw.IntN(3)))
	}
}

// drawn returns a plan of some kills, each at a point that its life passes.
func drawn(t *testing.T, w explorer.World, draw *rand.Rand, kills int) faults.Plan {
	t.Helper()
	state, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var plan faults.Plan
	for range kills {
		inc, err := w.Run(t.Context(), state, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := inc.Points[draw.IntN(len(inc.Points))]
		plan = append(plan, faults.Life{faults.KillAt(p.Point)})
		state = p.State
	}
	return plan
}

// Every other fault means the same in both modes.
func TestModes_OtherFaults(t *testing.T) {
	for _, c := range []struct{ strategy, provider, plan string }{
		{"operation-id", "larkfield", "lose-request payment.request_refund/during#1"},
		{"operation-id", "larkfield", "lose-response payment.request_refund/during#1"},
		{"naive-retry", "no-key", "lose-response payment.request_refund/during#1"},
		{"restart", "larkfield", "lose-response payment.request_refund/during#1"},
		{"operation-id", "larkfield", "deliver-late 30s payment.request_refund/during#1"},
		{"operation-id", "key-only", "deliver-late 1s payment.request_refund/during#1, kill payment.request_refund/after#1"},
		{"operation-id", "no-key", "deliver-late 3s payment.request_refund/during#1, kill payment.request_refund/during#1"},
		{"operation-id", "no-key", "deliver-late 5s payment.request_refund/during#1"},
		{"operation-id", "replay-all", "unavailable payment.request_refund/during#1"},
		{"operation-id", "larkfield", "unavailable payment.request_refund/during#1"},
		{"operation-id", "replay-all", "refuse payment.request_refund/during#1"},
		{"operation-id", "no-key", "kill payment.request_refund/during#1; lag 5s payment.operation/during#2"},
		{"id-only", "replay-all", "kill payment.request_refund/during#1; advance 25h"},
		{"operation-id", "larkfield", "kill checkpoint.save/after#3; world colleague-refunds, advance 1h"},
		{"operation-id", "latest-status", "kill payment.request_refund/during#1; world change-fails"},
		{"operation-id", "larkfield", "pause 2m payment.request_refund/before#1"},
		{"operation-id", "no-key", "pause 2m payment.request_refund/before#1"},
		{"operation-id", "larkfield", "pause 2m payment.request_refund/during-lost#1"},
		{"operation-id", "larkfield", "pause 2m payment.request_refund/during#1, kill payment.request_refund/after#1"},
		{"operation-id", "larkfield", "pause 2m checkpoint.save/before#4"},
		{"operation-id", "larkfield", "pause 10s checkpoint.save/after#4, kill payment.request_refund/during#1"},
		{"operation-id", "larkfield", "pause 10s checkpoint.create/after#1"},
	} {
		t.Run(c.plan+" "+c.strategy+" "+c.provider, func(t *testing.T) {
			t.Parallel()
			plan, err := faults.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			if !child.CanPause && plan.String() != "" && planHas(plan, faults.Pause) {
				t.Skip("processes can't be stopped and checked here")
			}
			bothModes(t, scenarios.Setting{Strategy: c.strategy, Provider: c.provider}.WithDefaults()).agree(t, plan)
		})
	}
}

func planHas(p faults.Plan, v faults.Verb) bool {
	for _, life := range p {
		for _, e := range life {
			if e.Verb == v {
				return true
			}
		}
	}
	return false
}

// processesOf returns how many processes a planned life has.
func processesOf(life faults.Life) int {
	for _, e := range life {
		if e.Verb == faults.Resumers {
			return e.Count
		}
	}
	return 1
}

// Several real processes at once come to the same verdict as the stated interleavings of the simulation;
// who of them does what is up to the scheduler.
func TestModes_Resumers(t *testing.T) {
	for _, c := range []struct{ strategy, provider, plan string }{
		{"operation-id", "larkfield", "resumers 3"},
		{"operation-id", "no-key", "kill checkpoint.save/after#3; resumers 4"},
		{"operation-id", "larkfield", "resumers 2, kill payment.request_refund/during#1; resumers 2"},
		{"naive-retry", "larkfield", "kill payment.request_refund/during#1; resumers 2"},
	} {
		t.Run(c.plan+" "+c.strategy, func(t *testing.T) {
			t.Parallel()
			plan, err := faults.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			m := bothModes(t, scenarios.Setting{Strategy: c.strategy, Provider: c.provider}.WithDefaults())
			simulated, killed := m.account(t, m.simulated, plan), m.account(t, m.killed, plan)
			if simulated.Verdict != killed.Verdict || !cmp.Equal(simulated.Violations, killed.Violations, cmpopts.EquateEmpty()) {
				t.Errorf("%s %v simulated, %s %v by real kills", simulated.Verdict, simulated.Violations, killed.Verdict, killed.Violations)
			}
			for i, life := range plan {
				for mode, a := range map[string]account{"simulated": simulated, "by real kills": killed} {
					if got, want := a.Processes[i], processesOf(life); got != want {
						t.Errorf("%d processes in life %d %s, planned %d", got, i+1, mode, want)
					}
				}
			}
			if len(simulated.Ledger) != len(killed.Ledger) {
				t.Errorf("%d effects simulated, %d by real kills", len(simulated.Ledger), len(killed.Ledger))
			}
		})
	}
}
