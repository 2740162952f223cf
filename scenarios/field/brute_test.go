package field_test

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/field"
)

// bruteLives bounds, for both searches, the lives after the last fault.
const bruteLives = 5

// brute runs every plan, each life for real: nothing is merged, no snapshot is used, and no code is
// shared with the search that it checks.
type brute struct {
	t     *testing.T
	world explorer.World
	kinds []faults.Event
	// least is the smallest number of faults that breaks each invariant; ends are all ends there are.
	least map[string]int
	ends  map[string]bool
	plans int
}

// place is where a plan has got to.
type place struct {
	state    explorer.State
	monitors check.Set
	used     int
	left     int
	restarts int
}

// from runs every life that may follow.
func (b *brute) from(p place) {
	b.heads(p, nil)
}

// heads runs every order of events before the life.
func (b *brute) heads(p place, head faults.Life) {
	b.life(p, head, -1)
	if len(head) == p.left {
		return
	}
	for _, e := range b.kinds {
		if !e.Verb.AtPoint() && !slices.Contains(head, e) {
			b.heads(p, append(slices.Clone(head), e))
		}
	}
}

// life runs one life to its end, then the same with one fault more at each point past the last one.
func (b *brute) life(p place, life faults.Life, after int) {
	inc := b.run(p.state, life)
	b.ended(p, life, inc)
	if len(life) == p.left {
		return
	}
	for n := after + 1; n < len(inc.Points); n++ {
		at := inc.Points[n].Point
		kill := append(slices.Clone(life), faults.KillAt(at))
		b.killed(p, kill, b.run(p.state, kill))
		for _, e := range b.kinds {
			if !e.Verb.AtPoint() || at.Position != faults.During && e.Verb != faults.Pause || !b.world.Accepts(at.Site, e.Verb) {
				continue
			}
			e.Point = at
			b.life(p, append(slices.Clone(life), e), n)
		}
	}
}

func (b *brute) run(from explorer.State, life faults.Life) explorer.Incarnation {
	b.plans++
	inc, err := b.world.Run(context.Background(), from, life)
	if err != nil {
		b.t.Fatalf("%q: %v", life, err)
	}
	if len(inc.Unreached) > 0 {
		b.t.Fatalf("%q was not reached", inc.Unreached)
	}
	return inc
}

func (b *brute) killed(p place, life faults.Life, inc explorer.Incarnation) {
	if inc.Life.Ended != history.Killed {
		b.t.Fatalf("%q ended %s", life, inc.Life.Ended)
	}
	b.from(b.next(p, life, inc, 0))
}

func (b *brute) next(p place, life faults.Life, inc explorer.Incarnation, restarts int) place {
	m := p.monitors.Copy()
	m.See(inc.Life.Events)
	return place{inc.Next, m, p.used + len(life), p.left - len(life), restarts}
}

// ended judges a life that came to its own end, or starts again one that ended in an error.
func (b *brute) ended(p place, life faults.Life, inc explorer.Incarnation) {
	restarts := p.restarts + 1
	if len(life) > 0 {
		restarts = 0
	}
	n := b.next(p, life, inc, restarts)
	if inc.Life.Ended == history.Failed {
		if restarts >= bruteLives {
			b.broke("never-ends", n.used)
			b.ends["never"] = true
			return
		}
		b.from(n)
		return
	}
	o, err := b.world.Outcome(context.Background(), n.state)
	if err != nil {
		b.t.Fatal(err)
	}
	b.ends[ending(inc.Life.Ended, o)] = true
	for _, v := range n.monitors.Judge(o) {
		b.broke(v.Invariant, n.used)
	}
}

func (b *brute) broke(invariant string, used int) {
	if least, ok := b.least[invariant]; !ok || used < least {
		b.least[invariant] = used
	}
}

// ending says in one line how a plan ended.
func ending(end history.End, o *check.Outcome) string {
	made := map[string]int{}
	for _, e := range o.Ledger {
		name := e.Intent
		if e.Reversed {
			name += " (taken back)"
		}
		made[name]++
	}
	var parts []string
	for name, n := range made {
		parts = append(parts, fmt.Sprintf("%s made %d time(s)", name, n))
	}
	for _, r := range o.Runs {
		line := r.Run + " is " + r.Status
		for _, op := range r.Operations {
			line += fmt.Sprintf(", %s recorded as %s", op.ID, op.Status)
		}
		parts = append(parts, line)
	}
	sort.Strings(parts)
	return string(end) + ": " + strings.Join(parts, "; ")
}

// The search and a brute force agree on what can break, and with how few faults, in every scenario.
// What ends a mended form has is the complete list in testdata: none is missing, and no other is reached.
func TestScenarios_BruteForceAgrees(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("some 40,000 lives")
	}
	all := field.Scenarios()
	ends := make([]string, len(all))
	t.Run("scenarios", func(t *testing.T) {
		for n, s := range all {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				ends[n] = agrees(t, s, 2, kinds(t, s))
			})
		}
	})
	golden(t, "ends.golden", strings.Join(ends, ""))
}

// Three kills, where the third tells something that two do not: a bounded count of starts.
func TestScenarios_BruteForceAgrees_ThreeKills(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("some 27,000 lives")
	}
	for _, name := range []string{"field/F01-broken", "field/F15", "field/F18", "field/F18-broken"} {
		agrees(t, named(t, name), 3, nil)
	}
}

func agrees(t *testing.T, s scenarios.Scenario, depth int, kinds []faults.Event) string {
	t.Helper()
	b := &brute{t: t, world: worldOf(t, s), kinds: kinds, least: map[string]int{}, ends: map[string]bool{}}
	start, err := b.world.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b.from(place{state: start, monitors: check.NewSet(settingsOf(t, s)), left: depth})
	got := map[string]int{}
	for _, c := range explored(t, s, explorer.Options{Crashes: depth, Faults: kinds, MaxLives: bruteLives, Once: true}).Found {
		got[c.Invariant] = c.Plan.Faults()
	}
	if diff := cmp.Diff(b.least, got); diff != "" {
		t.Errorf("%s, faults by invariant, %d lives run (-brute +search):\n%s", s.Name, b.plans, diff)
	}
	t.Logf("%s: %d lives", s.Name, b.plans)
	var lines []string
	if s.Broken {
		return ""
	}
	for e := range b.ends {
		lines = append(lines, s.Name+"\t"+e+"\n")
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}
