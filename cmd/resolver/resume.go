package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
)

func newResume(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "resume RUN",
		Short:   "Goes on with a saved run, wherever it stands",
		Example: "  resolver resume T-90104-agent-chat-small-1",
		Args:    cli.Exactly("RUN"),
		RunE:    func(c *cobra.Command, args []string) error { return resume(c.Context(), p, args[0]) },
	}
}

func resume(ctx context.Context, p *program, runID string) error {
	w, err := p.openWithWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	known, err := w.knownRun(ctx, runID)
	if err != nil {
		return err
	}
	return w.resume(ctx, known, nil)
}

// resume goes on with a run and prints what came of it. change may alter the runner first.
func (w *workspace) resume(ctx context.Context, known resolver.RunSummary, change func(*resolver.Runner)) error {
	r, err := w.runner(known.RunID, known.TicketID, nil)
	if err != nil {
		return err
	}
	if known.Status == resolver.Running {
		if _, err := w.course.RecordingsOf(known.TicketID); err != nil {
			return err
		}
	}
	found := &lastLoaded{Store: r.Store}
	r.Store = found
	if change != nil {
		change(r)
	}
	s, err := w.whole(ctx, func(ctx context.Context) (*resolver.TaskState, error) { return r.Resume(ctx, known.RunID) })
	if err != nil {
		return err
	}
	if found.status.Final() {
		w.out.Printf("Nothing to resume: the run is %s.\n", found.status)
		return nil
	}
	w.out.Printf("Resuming %s (status %s)\n", s.RunID, found.status)
	switch found.status {
	case resolver.Running:
		w.printOutcome(s)
		w.printProposal(s)
	case resolver.WaitingApproval:
		w.printRequest(s)
	default:
		w.printResult(s)
	}
	return nil
}

// lastLoaded remembers the status that a run had when it was loaded last: another process may have finished
// it between the first look and the lease.
type lastLoaded struct {
	resolver.Store
	status resolver.Status
}

func (l *lastLoaded) Load(ctx context.Context, runID string) (*resolver.TaskState, error) {
	s, err := l.Store.Load(ctx, runID)
	if err == nil {
		l.status = s.Status
	}
	return s, err
}
