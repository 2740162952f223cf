// Package brute runs every plan, life by life. It is what a search is checked against: it knows World.Run
// and the judge and nothing of the search, so there are no snapshots, no merging and no memory of states.
package brute

import (
	"context"
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Verdicts is what a search has to agree on: how many plans there are, how many of them break something or
// end with a person, the most model calls that one pays for, and the fewest faults that break each invariant.
type Verdicts struct {
	Plans, Violating, Person int64
	Paid                     int
	Fewest                   map[string]int
}

// Of returns what a search says.
func Of(r explorer.Result) Verdicts {
	v := Verdicts{r.PlansCovered, r.PlansViolating, r.HandedToPerson, r.ModelCallsMost, map[string]int{}}
	for _, c := range r.Found {
		v.Fewest[c.Invariant] = c.Plan.Faults()
	}
	return v
}

// Search is what is run.
type Search struct {
	World    explorer.World
	Settings check.Settings
	// Depth bounds the faults of a plan, kills and Faults together. Faults are events without a point.
	Depth  int
	Faults []faults.Event
	// MaxLives bounds the lives in a row that end in an error.
	MaxLives int
	// Ended, if set, is told of every end that a plan comes to.
	Ended func(history.End, *check.Outcome)
}

// Run runs every plan.
//
// Errors: those of the world, and a plan that does not strike.
func (s Search) Run(ctx context.Context) (Verdicts, error) {
	start, err := s.World.Start(ctx)
	if err != nil {
		return Verdicts{}, err
	}
	r := &run{Search: s, ctx: ctx, verdicts: Verdicts{Fewest: map[string]int{}}}
	err = r.from(moment{start, check.NewSet(s.Settings), nil, s.Depth, 0, 0})
	return r.verdicts, err
}

type run struct {
	Search
	ctx      context.Context
	verdicts Verdicts
}

// moment is where the lives of a plan have led so far.
type moment struct {
	state    explorer.State
	monitors check.Set
	plan     faults.Plan
	left     int
	restarts int
	paid     int
}

// after is the moment after one more life.
func (m moment) after(life faults.Life, inc explorer.Incarnation, restarts int) moment {
	monitors := m.monitors.Copy()
	monitors.See(inc.Life.Events)
	return moment{inc.Next, monitors, append(slices.Clone(m.plan), life), m.left - len(life), restarts, m.paid + history.ModelCalls(inc.Life.Events)}
}

// from goes on with every life that may follow a moment.
func (r *run) from(m moment) error {
	if m.restarts >= r.MaxLives {
		r.judged(m, []history.Violation{check.NeverEnds("")}, false)
		return nil
	}
	return r.prologues(m, nil)
}

// prologues runs every order of events before the life starts.
func (r *run) prologues(m moment, head faults.Life) error {
	if err := r.live(m, head); err != nil || len(head) == m.left {
		return err
	}
	for _, e := range r.Faults {
		if e.Verb.AtPoint() || slices.Contains(head, e) {
			continue
		}
		if err := r.prologues(m, with(head, e)); err != nil {
			return err
		}
	}
	return nil
}

// live lives one life with a head of faults: to its own end, to a kill at each later point, and on with
// one more fault at each.
func (r *run) live(m moment, head faults.Life) error {
	inc, struck, err := r.one(m, head)
	if err != nil || !struck {
		return err
	}
	if err := r.own(m, head, inc); err != nil || m.left == len(head) {
		return err
	}
	past := len(head) == 0 || !head[len(head)-1].Verb.AtPoint()
	for _, p := range inc.Points {
		if past && !p.Pending {
			if err := r.at(m, head, p.Point); err != nil {
				return err
			}
		}
		past = past || p.Point == head[len(head)-1].Point
	}
	return nil
}

// at strikes at one point: a kill, and each other fault that may stand there.
func (r *run) at(m moment, head faults.Life, p faults.Point) error {
	life := with(head, faults.KillAt(p))
	killed, struck, err := r.one(m, life)
	if err != nil {
		return err
	}
	if !struck || killed.Life.Ended != history.Killed {
		return fmt.Errorf("%s; %s ended %s", m.plan, life, killed.Life.Ended)
	}
	if err := r.from(m.after(life, killed, 0)); err != nil {
		return err
	}
	for _, e := range r.Faults {
		if !e.Verb.AtPoint() || p.Position != faults.During && e.Verb != faults.Pause || !r.World.Accepts(p.Site, e.Verb) {
			continue
		}
		e.Point = p
		if err := r.live(m, with(head, e)); err != nil {
			return err
		}
	}
	return nil
}

func with(head faults.Life, e faults.Event) faults.Life { return append(slices.Clone(head), e) }

// one lives one life. Resumers that nobody came in beside have not struck: that is another plan under a
// second name.
func (r *run) one(m moment, life faults.Life) (explorer.Incarnation, bool, error) {
	inc, err := r.World.Run(r.ctx, m.state, life)
	if err != nil {
		return inc, false, fmt.Errorf("%s; %s: %w", m.plan, life, err)
	}
	if len(inc.Unreached) > 0 && inc.Unreached[0].Verb != faults.Resumers {
		return inc, false, fmt.Errorf("%s; %s: %s did not strike", m.plan, life, inc.Unreached[0])
	}
	return inc, len(inc.Unreached) == 0, nil
}

// own goes on after a life that ended by itself.
func (r *run) own(m moment, head faults.Life, inc explorer.Incarnation) error {
	restarts := 0
	if inc.Life.Ended == history.Failed && len(head) == 0 {
		restarts = m.restarts + 1
	}
	next := m.after(head, inc, restarts)
	if inc.Life.Ended == history.Failed {
		return r.from(next)
	}
	o, err := r.World.Outcome(r.ctx, inc.Next)
	if err != nil {
		return err
	}
	if r.Ended != nil {
		r.Ended(inc.Life.Ended, o)
	}
	r.judged(next, next.monitors.Judge(o), inc.Life.Ended == history.Person)
	return nil
}

func (r *run) judged(m moment, broken []history.Violation, person bool) {
	r.verdicts.Plans++
	r.verdicts.Paid = max(r.verdicts.Paid, m.paid)
	if len(broken) > 0 {
		r.verdicts.Violating++
	}
	if person {
		r.verdicts.Person++
	}
	for _, v := range broken {
		if fewest, ok := r.verdicts.Fewest[v.Invariant]; !ok || m.plan.Faults() < fewest {
			r.verdicts.Fewest[v.Invariant] = m.plan.Faults()
		}
	}
}
