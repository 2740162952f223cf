package explorer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// The smallest plan is found: fewest faults, then the earliest points in order.
func TestExplore_SmallestPlan(t *testing.T) {
	for _, c := range []struct {
		name, steps string
		crashes     int
		want        map[string]string
	}{
		{"call again after a kill", "pay0", 2, map[string]string{
			"double-write": "kill service.pay/during#1", "attempts": "kill service.pay/before#1; kill service.pay/before#1"}},
		{"note it first", "mark0", 3, map[string]string{"lost-write": "kill store.mark/after#1"}},
		{"ask first", "safe0", 1, map[string]string{}},
		{"saved in between", "pay0 save pay1", 1, map[string]string{"double-write": "kill service.pay/during#1"}},
		{"without a kill", "pay0 pay0", 1, map[string]string{"double-write": "run", "attempts": "kill service.pay/before#1"}},
		{"after an error of its own", "pay0 flaky1", 0, map[string]string{"double-write": "run"}},
		{"the restart is part of the plan", "flaky1 pay0", 1, map[string]string{"double-write": "run; kill service.pay/during#1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := explore(t, program(c.steps), explorer.Options{Crashes: c.crashes})
			got := map[string]string{}
			for _, f := range r.Found {
				got[f.Invariant] = f.Plan.String()
			}
			if strings.HasSuffix(c.name, "of its own") {
				got["double-write"] = strings.TrimSuffix(got["double-write"], "; run")
			}
			same(t, "found", got, c.want)
		})
	}
}

// Points that share one durable state merge: the incarnations run grow with the states, the plans covered
// with the paths.
func TestExplore_Merges(t *testing.T) {
	free := toySettings
	free.MaxCalls = 0
	r := explore(t, program("save safe0"), explorer.Options{Crashes: 2, Settings: free})
	var names []string
	for _, p := range r.Points {
		names = append(names, p.String())
	}
	same(t, "points", names, []string{"store.save/before#1", "store.save/after#1", "store.ask/before#1", "store.ask/after#1",
		"service.pay/before#1", "service.pay/during-lost#1", "service.pay/during#1", "service.pay/after#1"})
	// One plan with no kill; eight with one; with two, each of these eight goes on by the points of its own
	// second life: 8 from the start, 6 after the save, 2 once the change is made.
	same(t, "plans", r.PlansCovered, int64(1+8+1*8+5*6+2*2))
	same(t, "verdict", r.Verdict(), history.Pass)
	if r.Runs != r.States || r.Runs > 8 {
		t.Errorf("%d incarnations, %d states", r.Runs, r.States)
	}
}

func TestExplore_HandedToPerson(t *testing.T) {
	r := explore(t, program("pay0 hand"), explorer.Options{Crashes: 1})
	same(t, "plans, with a person", [2]int64{r.PlansCovered, r.HandedToPerson}, [2]int64{5, 2})
}

// A set of states closes when one kill more finds nothing new; a change that doubles at every kill doesn't.
func TestExplore_Closed(t *testing.T) {
	free := toySettings
	free.MaxCalls = 0
	for _, c := range []struct {
		steps   string
		crashes int
		want    bool
	}{
		{"save", 0, false}, {"save", 1, true}, {"hand", 0, true},
		{"safe0", 0, false}, {"safe0", 1, true}, {"safe0", 3, true},
		{"pay0", 1, false}, {"pay0", 2, false}, {"pay0", 3, true}, // the count saturates at 3
	} {
		t.Run(fmt.Sprint(c.steps, c.crashes), func(t *testing.T) {
			r := explore(t, program(c.steps), explorer.Options{Crashes: c.crashes, Settings: free})
			same(t, "closed", r.Closed, c.want)
		})
	}
}

// A bound that is reached ends the search undecided, and says what was left out.
func TestExplore_Bounds(t *testing.T) {
	w := func() *toy { return program("safe0 save safe1 save") }
	whole := explore(t, w(), explorer.Options{Crashes: 3})
	over := 0
	for _, c := range []struct {
		name string
		o    explorer.Options
		want string
	}{
		{"incarnations", explorer.Options{MaxRuns: 2}, "the bound of 2 incarnations was reached: "},
		{"states", explorer.Options{MaxStates: 3}, "the bound of 3 states was reached: "},
		{"time before the first", explorer.Options{Over: func() bool { return true }, Budget: 5}, "the budget of 5ns was reached: 1 of 1 states"},
		{"time in between", explorer.Options{Over: func() bool { over++; return over > 4 }}, "the budget of 0s was reached: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Crashes = 3
			r := explore(t, w(), c.o)
			if r.Complete || r.Closed || !strings.HasPrefix(r.LeftOut, c.want) {
				t.Errorf("complete %t, closed %t, left out %q", r.Complete, r.Closed, r.LeftOut)
			}
			same(t, "verdict", r.Verdict(), history.Undecided)
			if r.PlansCovered >= whole.PlansCovered {
				t.Errorf("%d plans covered, of %d", r.PlansCovered, whole.PlansCovered)
			}
		})
	}
	t.Run("reached with nothing left", func(t *testing.T) {
		r := explore(t, w(), explorer.Options{Crashes: 3, MaxRuns: whole.Runs, MaxStates: whole.States + 1})
		same(t, "complete, left out", [2]any{r.Complete, r.LeftOut}, [2]any{true, ""})
	})
	t.Run("a violation is found within a bound", func(t *testing.T) {
		r := explore(t, program("pay0"), explorer.Options{Crashes: 3, MaxRuns: 5})
		same(t, "verdict, complete", [2]any{r.Verdict(), r.Complete}, [2]any{history.Violated, false})
	})
}

// Time that runs out while the very last nodes are run leaves them out, and that is said.
func TestExplore_TimeRunsOutInTheLastWave(t *testing.T) {
	w := program("save safe0")
	for asked := range 40 {
		n := 0
		r := explore(t, w, explorer.Options{Crashes: 1, Over: func() bool { n++; return n > asked }})
		whole := explore(t, w, explorer.Options{Crashes: 1})
		if r.Complete && r.PlansCovered != whole.PlansCovered {
			t.Errorf("over after %d questions: complete with %d of %d plans", asked, r.PlansCovered, whole.PlansCovered)
		}
		if !r.Complete && r.LeftOut == "" {
			t.Errorf("over after %d questions: it doesn't say what was left out", asked)
		}
	}
}

// Faults beside the kill that leave the process alive, and their count among the faults of a plan.
func TestExplore_FaultsBesideKills(t *testing.T) {
	for _, c := range []struct {
		name, steps string
		crashes     int
		fault       faults.Verb
		want        string // the smallest plan that doubles the change
	}{
		{"a lost answer alone", "pay0 save", 1, faults.LoseResponse, "kill service.pay/during#1"},
		{"a lost request is harmless", "safe0", 2, faults.LoseRequest, ""},
		{"asked after a lost answer", "safe0", 2, faults.LoseResponse, ""},
		{"not allowed any", "pay0", 0, faults.LoseResponse, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			only := toySettings
			only.Only = []string{"double-write"}
			r := explore(t, program(c.steps), explorer.Options{Crashes: c.crashes, Settings: only, Faults: []faults.Event{{Verb: c.fault}}})
			got := ""
			for _, f := range r.Found {
				got = f.Plan.String()
			}
			same(t, "plan", got, c.want)
		})
	}
	t.Run("a fault and then a kill in one life", func(t *testing.T) {
		o := explorer.Options{Crashes: 2, Faults: []faults.Event{{Verb: faults.Unavailable}}}
		found := map[string]string{}
		for _, f := range explore(t, program("safe0"), o).Found {
			found[f.Invariant] = f.Plan.String()
		}
		same(t, "attempts", found["attempts"], "unavailable service.pay/during#1, kill service.pay/before#2")
	})
}

// A program that comes back to the same error from the same state never ends.
func TestExplore_NeverEnds(t *testing.T) {
	stuck := program("save")
	stuck.stuck = true
	for name, o := range map[string]explorer.Options{"a circle": {Crashes: 1}, "no kill at all": {}} {
		t.Run(name, func(t *testing.T) {
			r := explore(t, stuck, o)
			if len(r.Found) != 1 || r.Found[0].Invariant != "never-ends" || r.Found[0].Plan.Faults() != 0 {
				t.Errorf("found %+v", r.Found)
			}
		})
	}
	// A program that counts its tries has no circle: the bound on its lives ends it.
	t.Run("too many lives", func(t *testing.T) {
		w := program("flaky2")
		r := explore(t, w, explorer.Options{Crashes: 1, MaxLives: 2})
		if len(r.Found) != 1 || r.Found[0].Invariant != "never-ends" {
			t.Fatalf("found %+v", r.Found)
		}
		replayed, err := explorer.Replay(context.Background(), w, r.Found[0].Plan, explorer.Options{Settings: toySettings, MaxLives: 2})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "replayed", replayed.History.Violations, []string{"never-ends"})
		r = explore(t, w, explorer.Options{Crashes: 1, MaxLives: 3})
		same(t, "with one life more", len(r.Found), 0)
	})
}

// Two runs of one life that differ in anything are the harness's error, not a pass.
func TestExplore_NotDeterministic(t *testing.T) {
	for _, odd := range []string{"events", "state", "end", "error", "what", "decision"} {
		t.Run(odd, func(t *testing.T) {
			w := program("save pay0")
			w.odd = odd
			if _, err := explorer.Explore(context.Background(), w, explorer.Options{Crashes: 1, Settings: toySettings}); !errors.Is(err, explorer.ErrNotDeterministic) {
				t.Errorf("explore: %v", err)
			}
			w.runs.Store(0)
			if _, err := explorer.Replay(context.Background(), w, parse(t, "run"), explorer.Options{Settings: toySettings}); !errors.Is(err, explorer.ErrNotDeterministic) {
				t.Errorf("replay: %v", err)
			}
			w.runs.Store(0)
			if _, err := explorer.Replay(context.Background(), w, parse(t, "run"), explorer.Options{Settings: toySettings, Once: true}); err != nil {
				t.Errorf("once: %v", err)
			}
		})
	}
}

// shifty passes its points, and then doesn't when it is to be killed there.
type shifty struct{ *toy }

func (w shifty) Run(ctx context.Context, from explorer.State, life faults.Life) (explorer.Incarnation, error) {
	if len(life) > 0 {
		life = faults.Life{faults.KillAt(faults.Point{Site: faults.Site{Seam: "no", Operation: "where"}, N: 1})}
	}
	return w.toy.Run(ctx, from, life)
}

func TestExplore_Unreached(t *testing.T) {
	w := shifty{program("pay0")}
	w.blind = true
	_, err := explorer.Explore(context.Background(), w, explorer.Options{Crashes: 1, Settings: toySettings})
	var unreached *explorer.UnreachedError
	if !errors.As(err, &unreached) || unreached.Life != 1 || unreached.Event.Verb != faults.Kill {
		t.Errorf("got %v", err)
	}
	w.blind = false
	_, err = explorer.Explore(context.Background(), w, explorer.Options{Crashes: 1, Settings: toySettings, Faults: []faults.Event{{Verb: faults.Unavailable}}})
	if !errors.As(err, &unreached) {
		t.Errorf("with other faults: %v", err)
	}
}

// failing is a world whose parts fail.
type failing struct {
	*toy
	start, run, outcome error
}

func (w failing) Start(ctx context.Context) (explorer.State, error) {
	if w.start != nil {
		return nil, w.start
	}
	return w.toy.Start(ctx)
}

func (w failing) Run(ctx context.Context, from explorer.State, life faults.Life) (explorer.Incarnation, error) {
	if w.run != nil {
		return explorer.Incarnation{}, w.run
	}
	return w.toy.Run(ctx, from, life)
}

func (w failing) Outcome(ctx context.Context, s explorer.State) (*check.Outcome, error) {
	if w.outcome != nil {
		return nil, w.outcome
	}
	return w.toy.Outcome(ctx, s)
}

// What the world returns as an error ends the search with it, on any number of workers.
func TestExplore_WorldFails(t *testing.T) {
	broken := errors.New("broken")
	for name, w := range map[string]failing{"start": {start: broken}, "run": {run: broken}, "outcome": {outcome: broken}} {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				w.toy = program("pay0")
				if _, err := explorer.Explore(context.Background(), w, explorer.Options{Crashes: 2, Settings: toySettings, Workers: workers}); !errors.Is(err, broken) {
					t.Errorf("explore: %v", err)
				}
				if _, err := explorer.Replay(context.Background(), w, nil, explorer.Options{Settings: toySettings}); !errors.Is(err, broken) {
					t.Errorf("replay: %v", err)
				}
			})
		}
	}
}

func TestExplore_Cancelled(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	r, err := explorer.Explore(ctx, program("pay0"), explorer.Options{Crashes: 2, Settings: toySettings, Progress: func(explorer.Progress) { stop() }})
	if err != nil || r.Complete || r.Closed || !strings.HasPrefix(r.LeftOut, "the search was interrupted: ") || r.Runs == 0 {
		t.Errorf("got %v, %+v", err, r)
	}
}

// Progress comes after every wave, and nothing waits after the last.
func TestExplore_Progress(t *testing.T) {
	var all []explorer.Progress
	r := explore(t, program("safe0 save"), explorer.Options{Crashes: 2, Progress: func(p explorer.Progress) { all = append(all, p) }})
	last := all[len(all)-1]
	same(t, "last", last, explorer.Progress{Crashes: last.Crashes, Runs: r.Runs, States: r.States})
	for i := range all[1:] {
		if all[i+1].Runs < all[i].Runs || all[i+1].Crashes < all[i].Crashes {
			t.Errorf("%+v after %+v", all[i+1], all[i])
		}
	}
}

// The result does not depend on scheduling: the same bytes with 1 and 8 workers, on 1 and 8 processors.
func TestExplore_SameWithAnyScheduling(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, steps := range []string{"pay0 save mark1 flaky1 pay1 hand", "safe0 save safe1", "late0 pay1 flaky2"} {
		var first []byte
		for _, processors := range []int{1, 8} {
			runtime.GOMAXPROCS(processors)
			for _, workers := range []int{1, 8} {
				r := explore(t, program(steps), explorer.Options{Crashes: 3, Workers: workers, Faults: []faults.Event{{Verb: faults.LoseResponse}, {Verb: faults.Unavailable}}})
				replayed, err := explorer.Replay(context.Background(), program(steps), parse(t, "kill service.pay/during#1; kill service.pay/before#1"),
					explorer.Options{Settings: toySettings, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				data, err := json.Marshal([]any{r, replayed.History})
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = data
				}
				if !bytes.Equal(data, first) {
					t.Errorf("%s: GOMAXPROCS %d, %d workers: %s", steps, processors, workers, cmp.Diff(string(first), string(data)))
				}
			}
		}
	}
}

func TestResult_Verdict(t *testing.T) {
	violated := []explorer.Counterexample{{}}
	for want, r := range map[history.Verdict]explorer.Result{
		history.Pass: {Complete: true}, history.Undecided: {}, history.Violated: {Found: violated},
	} {
		same(t, string(want), r.Verdict(), want)
	}
}

// No more lives are started than the bound says, and what comes out does not depend on the workers. Where states
// come from real kills a node needs many.
func TestExplore_MaxRunsIsExact(t *testing.T) {
	for _, blind := range []bool{false, true} {
		whole := explore(t, &toy{steps: program("save pay0 save safe1 save").steps, blind: blind}, explorer.Options{Crashes: 2, Once: true})
		for most := 1; most <= whole.Runs; most++ {
			var first string
			for _, workers := range []int{1, 7} {
				w := &toy{steps: program("save pay0 save safe1 save").steps, blind: blind}
				r := explore(t, w, explorer.Options{Crashes: 2, Once: true, MaxRuns: most, Workers: workers})
				if r.Complete != (most == whole.Runs) || r.Runs != most || int(w.runs.Load()) != most {
					t.Fatalf("blind %t, bound %d: %d ran, %d said, complete %t: %s", blind, most, w.runs.Load(), r.Runs, r.Complete, r.LeftOut)
				}
				text := fmt.Sprintf("%+v", r)
				if first == "" {
					first = text
				}
				same(t, "result", text, first)
			}
		}
	}
}
