package matrix

import (
	"context"
	"fmt"
	"sync"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// Run fills the matrix. Cells stand in the order of settings, points and actions, whatever the number of
// workers.
//
// Errors: *scenarios.UnknownError for a point that can't be; whatever keeps the harness from its work, a
// kill that did not land or a point that was not reached among it.
func Run(ctx context.Context, r Request) (Result, error) {
	f := &filler{Request: r, sc: scenarios.RefundScenario(), filled: map[string]bool{}}
	defer f.close()
	if err := f.open(ctx); err != nil {
		return Result{}, err
	}
	if err := f.plan(); err != nil {
		return Result{}, err
	}
	if err := f.fill(ctx); err != nil {
		return Result{}, err
	}
	return f.result(), nil
}

// filler is one matrix being filled.
type filler struct {
	Request
	sc     scenarios.Scenario
	groups []*group
	jobs   []*job
	filled map[string]bool
	notes  []string
	mu     sync.Mutex
	done   int
}

// group is one setting with its world and its undisturbed run.
type group struct {
	setting  scenarios.Setting
	world    explorer.World
	close    func() error
	settings check.Settings
	base     base
}

// job is one plan to replay.
type job struct {
	*group
	stroke
	cells []history.Cell
}

func (f *filler) close() {
	for _, g := range f.groups {
		if g != nil && g.close != nil {
			_ = g.close()
		}
	}
}

// open runs every setting undisturbed, to see what there is to strike.
func (f *filler) open(ctx context.Context) error {
	f.groups = make([]*group, len(f.Settings))
	return explorer.InParallel(len(f.Settings), f.Workers, func(i int) error {
		s := f.Settings[i].WithDefaults()
		settings, err := f.sc.Settings(s)
		if err != nil {
			return err
		}
		w, closer, err := World(ctx, f.sc, s, f.Mode, scenarios.KillOptions{Timeout: f.Timeout})
		if err != nil {
			return err
		}
		f.groups[i] = &group{setting: s, world: w, close: closer.Close, settings: settings}
		r, err := explorer.Replay(ctx, w, nil, f.options(settings))
		if err != nil {
			return fmt.Errorf("undisturbed run of %s with %s on %s: %w", s.Ticket, s.Strategy, s.Provider, err)
		}
		for _, life := range r.History.Lives {
			if life.Hung {
				return fmt.Errorf("undisturbed run of %s with %s on %s: a process did not end in %s and was ended", s.Ticket, s.Strategy, s.Provider, f.Timeout)
			}
		}
		f.groups[i].base = baseOf(r.History, approved(r.Outcome))
		return nil
	})
}

// options: the second run of each life is left to the search; here a simulation is cheap enough for it.
func (f *filler) options(s check.Settings) explorer.Options {
	return explorer.Options{Settings: s, Once: f.Mode == Kill}
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

// plan lists the plans to replay.
func (f *filler) plan() error {
	for _, g := range f.groups {
		if len(g.base.actions) == 0 {
			f.notes = append(f.notes, fmt.Sprintf("no cell: %s with %s on %s has no approved change", g.setting.Ticket, g.setting.Strategy, g.setting.Provider))
		}
		for _, name := range f.Points {
			strokes, err := g.base.strokes(name)
			if err != nil {
				return err
			}
			if len(g.base.actions) > 0 && len(strokes) == 0 {
				f.notes = append(f.notes, fmt.Sprintf("no cell: %s with %s on %s does not pass %s", g.setting.Ticket, g.setting.Strategy, g.setting.Provider, name))
			}
			for _, s := range strokes {
				if len(s.actions) > 0 {
					f.filled[name] = true
					f.jobs = append(f.jobs, &job{group: g, stroke: s})
				}
			}
		}
	}
	return nil
}

func (f *filler) fill(ctx context.Context) error {
	first := make([]int, len(f.jobs)+1) // the first cell of each plan
	for i, j := range f.jobs {
		first[i+1] = first[i] + len(j.actions)
	}
	return explorer.InParallel(len(f.jobs), f.Workers, func(i int) error {
		j := f.jobs[i]
		r, err := explorer.Replay(ctx, j.world, j.plan, f.options(j.settings))
		if err != nil {
			return fmt.Errorf("%s with %s on %s, plan %q: %w", j.setting.Ticket, j.setting.Strategy, j.setting.Provider, j.plan, err)
		}
		for _, n := range j.actions {
			j.cells = append(j.cells, f.cell(j, n, r))
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.Watch != nil {
			f.Watch(first[i], first[i+1]-1, r.History)
		}
		f.done++
		if f.Progress != nil {
			f.Progress(f.done, len(f.jobs))
		}
		return nil
	})
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
		for _, e := range life.Events {
			c.Lookups += asked(e, a)
			if e.Seam == "model" && e.Position == faults.During.String() {
				c.ModelCalls++
			}
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

func (f *filler) result() Result {
	m := history.Matrix{Schema: history.MatrixSchema, Scenario: scenarios.Refund, Mode: f.Mode, Seed: f.Seed, Cells: []history.Cell{}, Notes: f.notes}
	for _, j := range f.jobs {
		m.Cells = append(m.Cells, j.cells...)
	}
	m.Sum()
	for _, name := range f.Points {
		if !f.filled[name] {
			m.Unfilled = append(m.Unfilled, name)
		}
	}
	return Result{Matrix: m, Unfilled: m.Unfilled}
}
