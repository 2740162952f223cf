package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

type workOptions struct {
	lease time.Duration
	once  bool
}

func newWork(p *program) *cobra.Command {
	var o workOptions
	c := &cobra.Command{
		Use:   "work",
		Short: "A worker: finishes approved and interrupted runs whose lease is free",
		Long: `Takes runs that were approved or interrupted, and that no live process holds, and finishes them.
Without --once it keeps looking until it is told to stop (Ctrl-C); the run it is working on is
finished first.`,
		Example: "  resolver work --once\n  resolver work --lease 1m",
		Args:    cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.lease < minLease {
				return cli.WrongUse("--lease %s is shorter than %s", o.lease, minLease)
			}
			return work(c.Context(), p, o)
		},
	}
	c.Flags().DurationVar(&o.lease, "lease", resolver.DefaultLeaseTTL, "how long a claim on a run lasts unless renewed")
	c.Flags().BoolVar(&o.once, "once", false, "look once, then end")
	return c
}

const (
	// minLease leaves a step time to be saved before its lease runs out.
	minLease = 100 * time.Millisecond
	// lookEvery is how often a worker looks for runs.
	lookEvery = time.Second
	// newRunGrace keeps a worker from a run that its own process has saved and not claimed yet.
	newRunGrace = time.Second
)

func work(ctx context.Context, p *program, o workOptions) error {
	stopped, cancel := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	k := &worker{program: p, lease: o.lease, failed: map[string]time.Time{}}
	// Whoever can't look even once has a wrong folder; later it may be a folder that is being reset.
	if err := k.lookOnce(ctx, stopped); err != nil {
		return err
	}
	for !o.once && p.clock.Wait(stopped, lookEvery) == nil {
		k.complain(k.lookOnce(ctx, stopped))
	}
	p.out.Printf("%d run(s) finished\n", k.finished)
	if o.once && len(k.failed) > 0 {
		return fmt.Errorf("%d run(s) could not be finished", len(k.failed))
	}
	return nil
}

// worker finishes the runs of one work folder.
type worker struct {
	*program
	// opened is the work folder, while the worker looks.
	opened   *workspace
	lease    time.Duration
	finished int
	// failed holds the runs that could not be finished, with their last save: one is tried again only when
	// somebody has saved it since.
	failed map[string]time.Time
	// complaint is what was told last, so that it is told once.
	complaint string
}

// lookOnce opens the work folder for one look. A worker that kept it open would go on with files that a
// reset or an import has replaced.
func (k *worker) lookOnce(ctx, stopped context.Context) error {
	k.served = nil
	w, err := k.openWithWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	k.opened = w
	// The work itself is not cancelled: what was begun is finished before the worker stops.
	return k.look(ctx, stopped)
}

func (k *worker) complain(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != k.complaint {
		k.note("%s; looking again", agent.Clean(text))
	}
	k.complaint = text
}

// look takes every run that may be taken now.
//
// Errors: only of the list; a run that fails is told and left.
func (k *worker) look(ctx, stopped context.Context) error {
	list, err := k.opened.store.List(ctx)
	if err != nil {
		return err
	}
	if unfinished(list) == 0 {
		return nil
	}
	claimed, err := k.claimed(ctx)
	if err != nil {
		return err
	}
	for _, r := range list {
		if stopped.Err() != nil {
			return nil
		}
		if k.mayTake(r, claimed) {
			k.finish(ctx, r)
		}
	}
	return nil
}

// claimed returns the runs whose lease was ever taken.
func (k *worker) claimed(ctx context.Context) (map[string]bool, error) {
	image, err := k.opened.store.Image(ctx)
	if err != nil {
		return nil, err
	}
	claimed := map[string]bool{}
	for _, l := range image.Leases {
		claimed[l.RunID] = true
	}
	return claimed, nil
}

func (k *worker) mayTake(r resolver.RunSummary, claimed map[string]bool) bool {
	if r.Status != resolver.Running && r.Status != resolver.Executing {
		return false
	}
	if last, failed := k.failed[r.RunID]; failed && last.Equal(r.UpdatedAt) {
		return false
	}
	return claimed[r.RunID] || k.clock.Now().Sub(r.UpdatedAt) >= newRunGrace
}

func (k *worker) finish(ctx context.Context, r resolver.RunSummary) {
	err := k.opened.resume(ctx, r, func(runner *resolver.Runner) { runner.LeaseTTL = k.lease })
	var held *resolver.LeaseHeldError
	switch {
	case err == nil:
		k.finished++
		delete(k.failed, r.RunID)
	case errors.As(err, &held):
		// A live process has it, and will finish it.
	default:
		// The attempt may have saved something: only what others save makes the run worth another.
		if now, err := k.opened.knownRun(ctx, r.RunID); err == nil {
			r = now
		}
		k.failed[r.RunID] = r.UpdatedAt
		k.note("run %s is left as it is: %s", agent.CleanLine(r.RunID), agent.CleanLine(err.Error()))
	}
}

// unfinished counts the runs that a process may go on with without a person.
func unfinished(list []resolver.RunSummary) int {
	n := 0
	for _, r := range list {
		if !r.Status.Final() && r.Status != resolver.WaitingApproval {
			n++
		}
	}
	return n
}
