package planted

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/scenarios"
)

// AuditOptions steer an audit. The zero value runs every planted bug.
type AuditOptions struct {
	// Bugs are the ones to run; nil means All.
	Bugs []Bug
	// SimulateOnly leaves out the real kills of those that are to be caught by them, too.
	SimulateOnly bool
	// Kill says how children are run.
	Kill    scenarios.KillOptions
	Workers int
	// Timeout ends the audit with an *explorer.StuckError when one life in memory takes longer; 0 means that nothing
	// is watched.
	Timeout time.Duration
	// Progress is told after each bug, from one goroutine at a time.
	Progress func(done, total int)
}

// Audit searches every planted bug for its smallest plan. A context that ends is no error: the document has
// the bugs that were run until then, and says how many it leaves out.
//
// Errors: only when the harness could not do its work. A bug that goes unseen, or is caught by other
// invariants alone, is in the document.
// Determinism: the document does not depend on the number of workers.
func Audit(ctx context.Context, o AuditOptions) (history.Audit, error) {
	bugs := o.Bugs
	if bugs == nil {
		bugs = All()
	}
	found := make([]*history.Planted, len(bugs))
	var mu sync.Mutex
	done := 0
	err := explorer.InParallel(len(bugs), o.Workers, func(i int) error {
		if ctx.Err() != nil {
			return nil
		}
		p, err := bugs[i].audit(ctx, o)
		if ctx.Err() != nil {
			return nil // Interrupted in the middle: what it found is not whole.
		}
		if err != nil {
			return fmt.Errorf("%s%s: %w", Prefix, bugs[i].Name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		found[i] = &p
		if done++; o.Progress != nil {
			o.Progress(done, len(bugs))
		}
		return nil
	})
	a := history.Audit{Planted: []history.Planted{}, Total: len(bugs)}
	for _, p := range found {
		if p != nil {
			a.Planted = append(a.Planted, *p)
		}
	}
	if err == nil && done < len(bugs) {
		a.LeftOut = fmt.Sprintf("the audit was interrupted: %d of %d planted bugs were not run", len(bugs)-done, len(bugs))
	}
	a.Sum()
	return a, err
}

func (b Bug) audit(ctx context.Context, o AuditOptions) (history.Planted, error) {
	s := b.Setting()
	if b.Form != "" {
		s.Provider, s.Strategy = "bank", b.Form
	}
	p := history.Planted{Name: Prefix + b.Name, Doc: b.Doc, Invariant: b.Invariant, Ticket: s.Ticket, Provider: s.Provider, Strategy: s.Strategy, Mode: Simulate}
	if b.Mode == Kill && !o.SimulateOnly {
		p.Mode = Kill
	}
	found, err := b.search(ctx, nil, o.Timeout)
	if err != nil {
		return p, err
	}
	for _, c := range found {
		if c.Invariant != b.Invariant {
			p.Others = append(p.Others, c.Invariant)
			continue
		}
		p.Caught, p.Plan, p.Faults, p.Detail = true, c.Plan.String(), c.Plan.Faults(), c.Detail
		p.Replay = fmt.Sprintf("paytwice replay --scenario %s '%s'", p.Name, p.Plan)
		if p.Mode == Kill {
			p.Replay = fmt.Sprintf("paytwice replay --scenario %s --mode kill '%s'", p.Name, p.Plan)
			if p.Caught, err = b.caughtByKill(ctx, c, o.Kill); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

// Search returns what breaks with the fewest faults that break the bug's invariant, or, if none does, all
// that breaks. Only, if not empty, names the invariants to judge.
func (b Bug) Search(ctx context.Context, only []string) ([]explorer.Counterexample, error) {
	return b.search(ctx, only, 0)
}

// search is Search, whose lives are watched where a time-out is given.
func (b Bug) search(ctx context.Context, only []string, timeout time.Duration) ([]explorer.Counterexample, error) {
	settings, err := b.Settings()
	if err != nil {
		return nil, err
	}
	settings.Only = only
	var found []explorer.Counterexample
	for crashes := 0; crashes <= b.Crashes; crashes++ {
		w, err := b.Simulate()
		if err != nil {
			return nil, err
		}
		r, err := explorer.Explore(ctx, w, explorer.Options{Crashes: crashes, Faults: b.Events(), Settings: settings, Timeout: timeout})
		if err != nil {
			return nil, err
		}
		found = r.Found
		for _, c := range found {
			if c.Invariant == b.Invariant {
				return found, nil
			}
		}
	}
	return found, nil
}

// caughtByKill replays a plan with real kills.
func (b Bug) caughtByKill(ctx context.Context, c explorer.Counterexample, o scenarios.KillOptions) (bool, error) {
	settings, err := b.Settings()
	if err != nil {
		return false, err
	}
	program, err := b.program()
	if err != nil {
		return false, err
	}
	w, err := scenarios.NewKilled(ctx, program, o)
	if err != nil {
		return false, err
	}
	defer w.Close()
	r, err := explorer.Replay(ctx, w, c.Plan, explorer.Options{Settings: settings, Once: true})
	if err != nil {
		return false, err
	}
	for _, v := range r.History.Broken {
		if v.Invariant == b.Invariant {
			return true, nil
		}
	}
	return false, nil
}
