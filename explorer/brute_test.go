package explorer_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// The brute force shares no code with the search: it enumerates every plan and replays each from the very
// start, without snapshots, merging or a memory of states.

// found is what a search has to find.
type found struct {
	Plans, Distinct, Person int64
	States                  int
	// Violating counts the plans that break something.
	Violating int64
	// Smallest plan of each broken invariant, as text: fewest faults, then earliest points.
	Smallest map[string]string
}

type brute struct {
	w        *toy
	settings check.Settings
	verbs    []faults.Verb
	keys     map[string]bool
	best     map[string]faults.Plan
	plans    int64
	person   int64
	broken   int64
	// before are the events that may stand before a life.
	before []faults.Event
}

// reached is what a plan leads to.
type reached struct {
	state    explorer.State
	monitors check.Set
	last     explorer.Incarnation
}

func (r reached) key() string { return r.state.Key() + "\n" + r.monitors.Key() }

// replay runs the lives of a plan, one after the other, from the start.
func (b *brute) replay(plan faults.Plan) reached {
	state, _ := b.w.Start(context.Background())
	r := reached{state: state, monitors: check.NewSet(b.settings)}
	for _, life := range plan {
		inc, err := b.w.Run(context.Background(), r.state, life)
		if err != nil || len(inc.Unreached) > 0 {
			panic(fmt.Sprint(plan, err, inc.Unreached))
		}
		r.monitors.See(inc.Life.Events)
		r.state, r.last = inc.Next, inc
	}
	return r
}

// from enumerates every way on after a plan, and returns how many of them differ in what a life leaves.
func (b *brute) from(plan faults.Plan, left int) (distinct int64) {
	b.keys[b.replay(plan).key()] = true
	met := map[string]int64{}
	b.prologues(plan, nil, left, met)
	for _, n := range met {
		distinct += n
	}
	return distinct
}

// prologues tries every order of every choice of events before the life.
func (b *brute) prologues(plan faults.Plan, head faults.Life, left int, met map[string]int64) {
	b.lives(plan, head, 0, left, met)
	for _, e := range b.before {
		if len(head) < left && !slices.Contains(head, e) {
			b.prologues(plan, append(append(faults.Life{}, head...), e), left, met)
		}
	}
}

// lives tries the lives that begin with some faults: the undisturbed rest, a kill at each later point, and
// one more fault at each later call.
func (b *brute) lives(plan faults.Plan, head faults.Life, from, left int, met map[string]int64) {
	after := append(append(faults.Plan{}, plan...), head)
	r := b.replay(after)
	// A child is counted as often as paths lead there, but only once among the distinct.
	once := func(cost int, to string, count func() int64) { met[fmt.Sprint(cost, to)] = count() }
	if r.last.Life.Ended == history.Failed {
		once(len(head), r.key(), func() int64 { return b.from(after, left-len(head)) })
	} else {
		b.judge(after, r)
		rest := "at rest " + string(r.last.Life.Ended) + r.key()
		once(len(head), rest, func() int64 { return 1 })
		if len(head) > 0 {
			b.keys[rest] = true
		}
	}
	if left-len(head) < 1 {
		return
	}
	for i, p := range r.last.Points[from:] {
		killed := append(append(faults.Plan{}, plan...), append(append(faults.Life{}, head...), faults.KillAt(p.Point)))
		once(len(head)+1, b.replay(killed).key(), func() int64 { return b.from(killed, left-len(head)-1) })
		for _, v := range b.verbs {
			if p.Point.Position == faults.During && b.w.Accepts(p.Point.Site, v) {
				b.lives(plan, append(append(faults.Life{}, head...), faults.Event{Verb: v, Point: p.Point}), from+i+1, left, met)
			}
		}
	}
}

func (b *brute) judge(plan faults.Plan, r reached) {
	b.plans++
	if r.last.Life.Ended == history.Person {
		b.person++
	}
	outcome, _ := b.w.Outcome(context.Background(), r.state)
	broken := r.monitors.Judge(outcome)
	if len(broken) > 0 {
		b.broken++
	}
	for _, v := range broken {
		if old, ok := b.best[v.Invariant]; !ok || old.Faults() > plan.Faults() {
			b.best[v.Invariant] = plan
		}
	}
}

func bruteForce(w *toy, settings check.Settings, crashes int, events ...faults.Event) found {
	b := &brute{w: w, settings: settings, keys: map[string]bool{}, best: map[string]faults.Plan{}}
	for _, e := range events {
		if e.Verb.AtPoint() {
			b.verbs = append(b.verbs, e.Verb)
		} else {
			b.before = append(b.before, e)
		}
	}
	distinct := b.from(nil, crashes)
	f := found{Plans: b.plans, Distinct: distinct, Person: b.person, States: len(b.keys), Violating: b.broken, Smallest: map[string]string{}}
	for name, plan := range b.best {
		f.Smallest[name] = fmt.Sprintf("%d faults", plan.Faults())
	}
	return f
}

func searched(r explorer.Result) found {
	f := found{Plans: r.PlansCovered, Distinct: r.PlansDistinct, Person: r.HandedToPerson, States: r.States, Violating: r.PlansViolating, Smallest: map[string]string{}}
	for _, c := range r.Found {
		f.Smallest[c.Invariant] = fmt.Sprintf("%d faults", c.Plan.Faults())
	}
	return f
}

// The search covers exactly the plans there are, finds exactly what is broken, and closes exactly when one
// kill more finds no new state: up to three kills, kills in recovery included.
func TestExplore_AgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := programs(3).Draw(t, "program")
		crashes := rapid.IntRange(0, 3).Draw(t, "crashes")
		r := explore(t, w, explorer.Options{Crashes: crashes, Once: true})
		want := bruteForce(w, toySettings, crashes)
		if diff := cmp.Diff(want, searched(r)); diff != "" {
			t.Fatalf("%v (-brute force +search):\n%s", w.steps, diff)
		}
		if r.Runs != r.States || !r.Complete || r.LeftOut != "" {
			t.Fatalf("%d incarnations of %d states, complete %t %q", r.Runs, r.States, r.Complete, r.LeftOut)
		}
		if crashes < 3 {
			if more := bruteForce(w, toySettings, crashes+1); r.Closed != (more.States == want.States) {
				t.Fatalf("%v: closed %t; %d states, with one kill more %d", w.steps, r.Closed, want.States, more.States)
			}
		}
		for _, c := range r.Found {
			replayed, err := explorer.Replay(context.Background(), w, c.Plan, explorer.Options{Settings: toySettings})
			if err != nil || replayed.History.Verdict != history.Violated {
				t.Fatalf("%s is not broken by its own plan %q: %v %v", c.Invariant, c.Plan, replayed.History.Violations, err)
			}
		}
	})
}

// The same with faults that leave the process alive beside the kills, with and without the monitor that
// counts calls: without it sets of states close early.
func TestExplore_FaultsAgainstBruteForce(t *testing.T) {
	all := []faults.Event{{Verb: faults.LoseRequest}, {Verb: faults.LoseResponse}, {Verb: faults.Unavailable},
		{Verb: faults.World, Name: "tried"}, {Verb: faults.World, Name: "paid"}}
	rapid.Check(t, func(t *rapid.T) {
		w := programs(2).Draw(t, "program")
		o := explorer.Options{Crashes: rapid.IntRange(0, 2).Draw(t, "crashes"), Once: true, Settings: toySettings}
		if rapid.Bool().Draw(t, "no bound on calls") {
			o.Settings.MaxCalls = 0
		}
		o.Faults = rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 3, rapid.ID[faults.Event]).Draw(t, "faults")
		r := explore(t, w, o)
		if diff := cmp.Diff(bruteForce(w, o.Settings, o.Crashes, o.Faults...), searched(r)); diff != "" {
			t.Fatalf("%v with %v (-brute force +search):\n%s", w.steps, o.Faults, diff)
		}
	})
}

// A state that waits with two faults, and is then reached with one, is run with one: what the second could
// do from there must not be lost.
func TestExplore_StateReachedWithFewerFaultsLater(t *testing.T) {
	w := program("flaky1 pay0")
	o := explorer.Options{Crashes: 2, Once: true, Settings: toySettings, Faults: []faults.Event{{Verb: faults.World, Name: "tried"}}}
	if diff := cmp.Diff(bruteForce(w, o.Settings, o.Crashes, o.Faults...), searched(explore(t, w, o))); diff != "" {
		t.Errorf("(-brute force +search):\n%s", diff)
	}
}

// A world without snapshots, where every kill is carried out, gives the same answer.
func TestExplore_WithoutSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := programs(3).Draw(t, "program")
		crashes := rapid.IntRange(0, 2).Draw(t, "crashes")
		want := explore(t, w, explorer.Options{Crashes: crashes, Once: true})
		blind := &toy{steps: w.steps, blind: true}
		got := explore(t, blind, explorer.Options{Crashes: crashes, Once: true})
		if diff := cmp.Diff(searched(want), searched(got)); diff != "" {
			t.Fatalf("%v (-snapshots +kills):\n%s", w.steps, diff)
		}
		if got.Closed && !want.Closed {
			t.Fatalf("%v: closed without having looked", w.steps)
		}
	})
}
