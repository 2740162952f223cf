package matrix

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// Run fills the matrix. Cells stand in the order of settings, points and actions, whatever the number of
// workers. A context that ends is no error: the result is what was filled until then.
//
// Errors: *scenarios.UnknownError for a point that can't be; whatever keeps the harness from its work, a
// kill that did not land or a point that was not reached among it.
func Run(ctx context.Context, r Request) (Result, error) {
	f := &filler{Request: r, sc: scenarios.RefundScenario(), filled: map[string]bool{}, have: haveOf(r), groups: make([]*group, len(r.Settings))}
	// A few settings at a time: an interruption finds cells filled however many settings there are, and few
	// worlds are open at once.
	for from, few := 0, 2*max(r.Workers, 1); from < len(r.Settings); from += few {
		if err := f.batch(ctx, from, min(from+few, len(r.Settings))); err != nil {
			return Result{}, err
		}
	}
	return f.result(ctx.Err() != nil), nil
}

// batch fills what is this run's of the settings from up to to.
func (f *filler) batch(ctx context.Context, from, to int) error {
	defer f.close(from, to)
	if err := f.open(ctx, from, to); err != nil {
		return err
	}
	planned := len(f.jobs)
	if err := f.plan(from, to); err != nil {
		return err
	}
	return f.fill(ctx, f.jobs[planned:], f.toCome(to))
}

// filler is one matrix being filled.
type filler struct {
	Request
	sc     scenarios.Scenario
	have   had
	groups []*group
	jobs   []*job
	filled map[string]bool
	// number counts the cases, and cells the cells, of the batches before.
	number, cells int
	mu            sync.Mutex
	done          int
}

// group is one setting with its world and its undisturbed run.
type group struct {
	setting  scenarios.Setting
	world    explorer.World
	close    func() error
	settings check.Settings
	base     base
	opened   bool
}

// job is one case: a plan to replay, or none of a setting that has none.
type job struct {
	*group
	stroke
	history.Case
	cells []history.Cell
	done  bool
}

func (f *filler) close(from, to int) {
	for _, g := range f.groups[from:to] {
		if g != nil && g.close != nil {
			_ = g.close()
		}
	}
}

// bySetting reports whether shards are dealt whole settings.
func (f *filler) bySetting() bool { return len(f.Settings) >= f.Shard.Of }

// toOpen reports whether a setting has cases of this run's that are not filled.
func (f *filler) toOpen(i int) bool {
	return (!f.bySetting() || f.Shard.Has(i)) && !f.have.whole(i)
}

// toCome estimates the cases of the settings from one on: as many for each as those before have.
func (f *filler) toCome(from int) int {
	seen, left := 0, 0
	for i := range f.Settings {
		switch {
		case i < from && (!f.bySetting() || f.Shard.Has(i)):
			seen++
		case i >= from && f.toOpen(i):
			left++
		}
	}
	if seen == 0 {
		return left
	}
	return left * max(len(f.jobs), 1) / seen
}

// open runs settings undisturbed, to see what there is to strike. What another shard fills, or what is
// filled already, is left alone.
func (f *filler) open(ctx context.Context, from, to int) error {
	return explorer.InParallel(to-from, f.Workers, func(i int) error {
		if !f.toOpen(from+i) || ctx.Err() != nil {
			return nil
		}
		if err := f.openOne(ctx, from+i); err != nil && ctx.Err() == nil {
			return err
		}
		return nil
	})
}

func (f *filler) openOne(ctx context.Context, i int) error {
	s := f.Settings[i].WithDefaults()
	settings, err := f.sc.Settings(s)
	if err != nil {
		return err
	}
	w, closer, err := World(ctx, f.sc, s, f.Mode, scenarios.KillOptions{Timeout: f.Timeout})
	if err != nil {
		return err
	}
	g := &group{setting: s, world: w, close: closer.Close, settings: settings}
	f.groups[i] = g
	r, err := explorer.Replay(ctx, w, nil, f.options(settings))
	if err != nil {
		return fmt.Errorf("undisturbed run of %s with %s on %s: %w", s.Ticket, s.Strategy, s.Provider, err)
	}
	for _, life := range r.History.Lives {
		if life.Hung && f.Mode == Simulate {
			return fmt.Errorf("undisturbed run of %s with %s on %s: %s", s.Ticket, s.Strategy, s.Provider, life.Error)
		}
		if life.Hung {
			return fmt.Errorf("undisturbed run of %s with %s on %s: a process did not end in %s and was ended", s.Ticket, s.Strategy, s.Provider, f.Timeout)
		}
	}
	g.base, g.opened = baseOf(r.History, approved(r.Outcome)), true
	return nil
}

// options: the second run of each life is left to the search; here a simulation is cheap enough for it.
func (f *filler) options(s check.Settings) explorer.Options {
	return explorer.Options{Settings: s, Once: f.Mode == Kill, Timeout: Watched(f.Mode, f.Timeout)}
}

// approved returns the distinct intents of all runs, in order.
func approved(o *check.Outcome) []history.Intent {
	var out []history.Intent
	seen := map[string]bool{}
	for _, r := range o.Runs {
		for _, i := range r.Approved {
			if !seen[i.ID] {
				seen[i.ID] = true
				out = append(out, i)
			}
		}
	}
	return out
}

// plan lists the cases that are this run's, in the order of their cells.
func (f *filler) plan(from, to int) error {
	for i := from; i < to; i++ {
		jobs := f.have.jobs(i)
		if g := f.groups[i]; g != nil && g.opened {
			var err error
			if jobs, err = f.jobsOf(i, g); err != nil {
				return err
			}
		}
		for _, j := range jobs {
			if f.bySetting() || f.Shard.Has(f.number) {
				f.jobs = append(f.jobs, j)
			}
			f.number++
		}
	}
	return nil
}

// jobsOf returns every case of a setting that was opened; one without a plan has one that fills no cell.
func (f *filler) jobsOf(i int, g *group) ([]*job, error) {
	var jobs []*job
	var notes []string
	if len(g.base.actions) == 0 {
		notes = append(notes, fmt.Sprintf("no cell: %s with %s on %s has no approved change", g.setting.Ticket, g.setting.Strategy, g.setting.Provider))
	}
	for _, name := range f.Points {
		strokes, err := g.base.strokes(name)
		if err != nil {
			return nil, err
		}
		if len(g.base.actions) > 0 && len(strokes) == 0 {
			notes = append(notes, fmt.Sprintf("no cell: %s with %s on %s does not pass %s", g.setting.Ticket, g.setting.Strategy, g.setting.Provider, name))
		}
		for _, s := range strokes {
			if len(s.actions) > 0 {
				f.filled[name] = true
				jobs = append(jobs, &job{group: g, stroke: s})
			}
		}
	}
	plans := len(jobs)
	if plans == 0 {
		jobs = []*job{{group: g}}
	}
	for n, j := range jobs {
		j.Case = history.Case{Setting: i, Plan: n, Plans: plans, Items: len(j.actions)}
		if n == 0 {
			j.Notes = notes
		}
		if old, ok := f.have[i][n]; ok && old.Plans == plans && old.Case.Items == j.Items && samePlan(old.Items, j.plan.String()) {
			j.cells, j.done = old.Items, true
		}
	}
	return jobs, nil
}

// samePlan reports whether cells that were filled before are of a plan.
func samePlan(cells []history.Cell, plan string) bool {
	return !slices.ContainsFunc(cells, func(c history.Cell) bool { return c.Plan != plan })
}

// fill runs cases; more is how many there seem to be to come.
func (f *filler) fill(ctx context.Context, jobs []*job, more int) error {
	f.done = f.finished()
	first := make([]int, len(jobs)+1) // the first cell of each plan
	first[0] = f.cells
	for i, j := range jobs {
		first[i+1] = first[i] + len(j.actions)
	}
	f.cells = first[len(jobs)]
	return explorer.InParallel(len(jobs), f.Workers, func(i int) error {
		j := jobs[i]
		if j.done || ctx.Err() != nil {
			return nil
		}
		var played history.History
		if len(j.actions) > 0 {
			r, err := explorer.Replay(ctx, j.world, j.plan, f.options(j.settings))
			if ctx.Err() != nil {
				return nil // Interrupted in the middle: it is not filled.
			}
			if err != nil {
				return fmt.Errorf("%s with %s on %s, plan %q: %w", j.setting.Ticket, j.setting.Strategy, j.setting.Provider, j.plan, err)
			}
			for _, n := range j.actions {
				j.cells = append(j.cells, f.cell(j, n, r))
			}
			played = r.History
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.Watch != nil && len(j.actions) > 0 {
			f.Watch(first[i], first[i+1]-1, played)
		}
		j.done = true
		f.done++
		if f.Progress != nil {
			f.Progress(f.done, len(f.jobs)+more)
		}
		return nil
	})
}

func (f *filler) finished() int {
	n := 0
	for _, j := range f.jobs {
		if j.done {
			n++
		}
	}
	return n
}

// cell counts one action of one replay. What happened is counted from the ledger and by the service,
// never by the code under test.
func (f *filler) cell(j *job, n int, r explorer.Replayed) history.Cell {
	a := j.base.actions[n]
	c := history.Cell{Ticket: j.setting.Ticket, Action: n + 1, Tool: a.Tool, OperationID: a.ID, What: a.Payload, Point: j.point,
		Strategy: j.setting.Strategy, Provider: j.setting.Provider, Plan: j.plan.String(), Landed: true,
		Calls: r.Outcome.Received[a.ID], Incarnations: len(r.History.Lives), Verdict: history.Pass, Violations: []string{},
		Replay: scenarios.ReplayCommand(j.setting, f.Mode, j.plan)}
	for _, e := range r.Outcome.Ledger {
		if e.Intent == a.ID && !e.Reversed {
			c.Effects++
			c.AmountCents += e.AmountCents
			c.Currency = e.Currency
		}
	}
	for _, life := range r.History.Lives {
		c.ModelCalls += history.ModelCalls(life.Events)
		for _, e := range life.Events {
			c.Lookups += asked(e, a)
		}
	}
	if runs := r.Outcome.Runs; len(runs) > 0 {
		c.Status = runs[len(runs)-1].Status
		c.HandedToPerson = c.Status == check.StatusPerson
	}
	for _, v := range r.History.Broken {
		if v.Intent != "" && v.Intent != a.ID {
			continue
		}
		c.Verdict = history.Violated
		if m := len(c.Violations); m == 0 || c.Violations[m-1] != v.Invariant {
			c.Violations = append(c.Violations, v.Invariant)
		}
	}
	return c
}

// asked counts a question about the action that reached the service.
func asked(e history.Event, a action) int {
	if e.Request == nil || !e.Request.Ask || e.Position != faults.During.String() {
		return 0
	}
	if e.Request.Intent == a.ID || e.Request.Intent == "" && e.Request.What == a.Subject {
		return 1
	}
	return 0
}

func (f *filler) result(interrupted bool) Result {
	var pieces []parts.Piece[history.Cell]
	for _, j := range f.jobs {
		if j.done {
			pieces = append(pieces, parts.Piece[history.Cell]{Case: j.Case, Items: j.cells})
		}
	}
	out := Result{Matrix: history.Matrix{Schema: history.MatrixSchema, Scenario: scenarios.Refund, Mode: f.Mode, Seed: f.Seed}}
	out.Matrix.Cells, out.Cases, out.Matrix.Notes = parts.Join(pieces)
	out.Matrix.Sum()
	if interrupted {
		out.Matrix.LeftOut = f.leftOut()
	}
	for _, name := range f.Points {
		if !f.filled[name] && !f.have.fills(name) {
			out.Unfilled = append(out.Unfilled, name)
		}
	}
	return out
}

// leftOut says what an interruption kept from being filled; empty where it came too late for that.
func (f *filler) leftOut() string {
	unopened := 0
	for i := range f.Settings {
		if f.toOpen(i) && (f.groups[i] == nil || !f.groups[i].opened) {
			unopened++
		}
	}
	left := len(f.jobs) - f.finished()
	switch {
	case unopened > 0:
		return fmt.Sprintf("the matrix was interrupted: %d of %d settings were not looked at, and %d plans of the others not run", unopened, len(f.Settings), left)
	case left > 0:
		return fmt.Sprintf("the matrix was interrupted: %d of %d plans were not run", left, len(f.jobs))
	}
	return ""
}
