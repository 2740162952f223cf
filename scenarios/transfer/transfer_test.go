package transfer_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/transfer"
)

// The lesson's four scenarios, and what a kill at other places makes of them, in both modes.
func TestScenarios(t *testing.T) {
	const (
		asked   = "bank.operation"
		checked = "bank.accounts"
		moved   = "bank.transfer"
	)
	cases := []struct {
		title, name, plan string
		a, b              int64
		mark              string
		status            transfer.Status
		end               history.End
		// calls are those of the last life, reads of the record left out.
		calls  []string
		alerts int
	}{
		{"clean", transfer.Name, "run",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, []string{checked, checked, moved, "bank.read_back"}, 0},
		{"killed after the change and resumed", transfer.Name, "kill bank.transfer/after#1",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, []string{asked, "bank.read_back"}, 0},
		{"killed during the change and resumed", transfer.Name, "kill bank.transfer/during#1",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, []string{asked, "bank.read_back"}, 0},
		{"killed before the change and resumed", transfer.Name, "kill bank.transfer/before#1",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, []string{asked, checked, moved, "bank.read_back"}, 0},
		{"a zombie before its write", transfer.Name, "pause 2m bank.transfer/before#1",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, nil, 0},
		{"a zombie whose answer comes late", transfer.Name, "pause 2m bank.transfer/during#1",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, nil, 0},
		{"a zombie before its save", transfer.Name, "pause 2m checkpoint.save/before#2",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, nil, 0},
		{"a zombie after its last attempt, when the next has settled that it was not made", transfer.Name,
			"kill checkpoint.save/after#2; kill checkpoint.save/after#1; pause 2m checkpoint.save/after#1",
			1500_00, 200_00, "", transfer.Stopped, history.Person, nil, 1},
		{"a zombie without a key", transfer.MarkLastName, "pause 2m bank.transfer/before#1",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, nil, 0},
		{"another workflow takes A to 500, nothing was made", transfer.Name, "kill bank.transfer/before#1; world takes-a-to-500",
			500_00, 200_00, "", transfer.Stopped, history.Person, []string{asked, checked, "alert.raise"}, 1},
		{"another workflow takes A to 500, the transfer was made", transfer.Name, "kill bank.transfer/after#1; world takes-a-to-500",
			500_00, 300_00, "TR-1", transfer.Committed, history.Done, []string{asked, "bank.read_back"}, 0},
		{"the check fails", transfer.CheckFailsName, "run",
			1500_00, 200_00, "", transfer.RolledBack, history.Person,
			[]string{checked, checked, moved, "bank.read_back", "bank.reverse", "bank.read_back", "alert.raise"}, 1},
		{"the check fails, as an event", transfer.Name, "world credits-fail",
			1500_00, 200_00, "", transfer.RolledBack, history.Person,
			[]string{checked, checked, moved, "bank.read_back", "bank.reverse", "bank.read_back", "alert.raise"}, 1},
		{"the check fails, killed before the rollback", transfer.CheckFailsName, "kill bank.reverse/before#1",
			1500_00, 200_00, "", transfer.RolledBack, history.Person, []string{"bank.reverse", "bank.read_back", "alert.raise"}, 1},
		{"the check fails, killed after the rollback", transfer.CheckFailsName, "kill bank.reverse/after#1",
			1500_00, 200_00, "", transfer.RolledBack, history.Person, []string{"bank.reverse", "bank.read_back", "alert.raise"}, 1},
		{"the bank refuses", transfer.Name, "refuse bank.transfer/during#1",
			1500_00, 200_00, "", transfer.Stopped, history.Person, []string{checked, checked, moved, "alert.raise"}, 1},
		{"the bank is away", transfer.Name, "unavailable bank.transfer/during#1",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done,
			[]string{checked, checked, moved, asked, checked, moved, "bank.read_back"}, 0},
		{"the answer is lost", transfer.Name, "lose-response bank.transfer/during#1",
			1400_00, 300_00, "TR-1", transfer.Committed, history.Done, []string{checked, checked, moved, asked, "bank.read_back"}, 0},
		{"nothing to approve", transfer.Name, "world takes-a-to-500",
			500_00, 200_00, "", transfer.Stopped, history.Person, []string{checked, "alert.raise"}, 1},
		{"the rollback is refused", transfer.CheckFailsName, "refuse bank.reverse/during#1",
			1400_00, 200_00, "", transfer.LeftAsIs, history.Person,
			[]string{checked, checked, moved, "bank.read_back", "bank.reverse", "bank.read_back", "alert.raise"}, 1},
		{"the rollback is made, and its repeat refused", transfer.CheckFailsName, "kill bank.reverse/during#1; refuse bank.reverse/during#1",
			1500_00, 200_00, "", transfer.RolledBack, history.Person, []string{"bank.reverse", "bank.read_back", "alert.raise"}, 1},
	}
	for _, c := range cases {
		s := scenario(t, c.name)
		for mode, w := range worlds(t, s) {
			t.Run(c.title+"/"+mode, func(t *testing.T) {
				if mode == "kill" && strings.HasPrefix(c.plan, "pause") && !child.CanPause {
					t.Skip("processes can't be stopped and woken here")
				}
				r, v := replay(t, w, s, c.plan)
				if r.History.Verdict != history.Pass {
					t.Errorf("verdict %s: %v", r.History.Verdict, r.History.Broken)
				}
				a, b := v.Books.Accounts["A"].BalanceCents, v.Books.Accounts["B"]
				if a != c.a || b.BalanceCents != c.b || b.LastTransfer != c.mark {
					t.Errorf("A holds %d, B %d with the mark %q; want %d, %d, %q", a, b.BalanceCents, b.LastTransfer, c.a, c.b, c.mark)
				}
				if v.Record.Status != c.status {
					t.Errorf("recorded as %s, want %s: %s", v.Record.Status, c.status, v.Record.Reason)
				}
				last := r.History.Lives[len(r.History.Lives)-1]
				if last.Ended != c.end {
					t.Errorf("it ended %s, want %s", last.Ended, c.end)
				}
				if diff := cmp.Diff(c.calls, callsOf(last)); diff != "" {
					t.Errorf("calls of the last life (-want +got)\n%s", diff)
				}
				if len(v.Alerts) != c.alerts {
					t.Errorf("alerts %v, want %d", v.Alerts, c.alerts)
				}
			})
		}
	}
}

// callsOf returns the calls of the world outside in a life.
func callsOf(l history.Life) []string {
	var calls []string
	for _, e := range l.Events {
		if (e.Seam == "bank" || e.Seam == "alert") && e.Position == "before" {
			calls = append(calls, e.Seam+"."+e.Operation)
		}
	}
	return calls
}

// The lesson's exercise: over every single kill, how many plans lose the transfer when the status is
// written before the action, and how many double it when it is written after.
func TestMarkOrder(t *testing.T) {
	cases := []struct {
		name          string
		lost, doubled []string
		once          int
	}{
		{transfer.MarkFirstName, []string{"checkpoint.save/after#2", "bank.transfer/before#1", "bank.transfer/during-lost#1"}, nil, 21},
		{transfer.MarkLastName, nil, []string{"bank.transfer/during#1", "bank.transfer/after#1", "checkpoint.save/before#2"}, 21},
		{transfer.Name, nil, nil, 30},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := scenario(t, c.name)
			w := simulated(t, s)
			r, err := explorer.Explore(t.Context(), w, options(t, s))
			if err != nil {
				t.Fatal(err)
			}
			var lost, doubled []string
			once := 0
			for _, p := range r.Points {
				_, v := replay(t, w, s, faults.KillAt(p).String())
				switch made := len(v.Books.Entries); made {
				case 0:
					lost = append(lost, p.String())
				case 1:
					once++
				default:
					doubled = append(doubled, p.String())
				}
			}
			if diff := cmp.Diff(c.lost, lost); diff != "" {
				t.Errorf("lost (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.doubled, doubled); diff != "" {
				t.Errorf("doubled (-want +got)\n%s", diff)
			}
			if once != c.once {
				t.Errorf("made once in %d plans, want %d", once, c.once)
			}
		})
	}
}

// Up to three kills: the mended forms pass, the others are caught by the invariant they name, with one
// fault.
func TestExplore(t *testing.T) {
	for _, s := range transfer.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			o := options(t, s)
			o.Crashes = 3
			r, err := explorer.Explore(t.Context(), simulated(t, s), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d points, %d plans, %d states, closed %t, to a person %d", len(r.Points), r.PlansCovered, r.States, r.Closed, r.HandedToPerson)
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

// Other faults than kills, and the changes by somebody else, with up to two of them and kills together.
func TestExplore_AllFaults(t *testing.T) {
	forTheGate(t)
	for _, name := range []string{transfer.Name, transfer.CheckFailsName} {
		s := scenario(t, name)
		o := options(t, s)
		o.Crashes = 2
		o.Faults = []faults.Event{{Verb: faults.LoseRequest}, {Verb: faults.LoseResponse}, {Verb: faults.Unavailable}, {Verb: faults.Refuse},
			{Verb: faults.Pause, Duration: 2 * time.Minute}, {Verb: faults.World, Name: transfer.TakesATo500}, {Verb: faults.World, Name: transfer.CreditsFail}}
		r, err := explorer.Explore(t.Context(), simulated(t, s), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d plans, %d states", name, r.PlansCovered, r.States)
		if r.Verdict() != history.Pass {
			for _, f := range r.Found {
				t.Errorf("%s: %s: %s: %s", name, f.Plan, f.Invariant, f.Detail)
			}
		}
	}
}

// The rollback is rehearsed at every crash point: at the end of every plan of up to three kills the rows
// and the marks are as before, the record says so, and a person was alerted.
func TestRollback_EveryCrashPoint(t *testing.T) {
	s := scenario(t, transfer.CheckFailsName)
	before := map[string]transfer.Account{"A": {BalanceCents: 1500_00}, "B": {BalanceCents: 200_00}}
	rolledBack, stopped := 0, 0
	w := watched{simulated(t, s), func(state explorer.State) {
		v, err := transfer.Look(state)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, v.Books.Accounts); diff != "" {
			t.Errorf("rows and marks (-want +got)\n%s", diff)
		}
		if len(v.Alerts) != 1 {
			t.Errorf("alerts %v, want one", v.Alerts)
		}
		switch v.Record.Status {
		case transfer.RolledBack:
			rolledBack++
		case transfer.Stopped: // no call was made, three times
			stopped++
		default:
			t.Errorf("recorded as %s", v.Record.Status)
		}
	}}
	o := options(t, s)
	o.Crashes = 3
	r, err := explorer.Explore(t.Context(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	if rolledBack == 0 || stopped == 0 || r.Verdict() != history.Pass {
		t.Errorf("%d states rolled back, %d stopped, verdict %s", rolledBack, stopped, r.Verdict())
	}
	if r.HandedToPerson != r.PlansCovered {
		t.Errorf("%d of %d plans end with a person", r.HandedToPerson, r.PlansCovered)
	}
	for _, p := range []string{"bank.reverse/before#1", "bank.reverse/during#1", "bank.reverse/after#1", "alert.raise/during#1"} {
		if !slices.ContainsFunc(r.Points, func(q faults.Point) bool { return q.String() == p }) {
			t.Errorf("%s is not among the points", p)
		}
	}
}

func TestModesAgree(t *testing.T) {
	forTheGate(t)
	if !child.Supported {
		t.Skip(scenarios.ErrNoKill)
	}
	for _, s := range transfer.Scenarios() {
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
