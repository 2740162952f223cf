package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

type traceOptions struct {
	run    string
	format cli.Choice
}

func newTrace(p *program) *cobra.Command {
	var o traceOptions
	c := &cobra.Command{
		Use:     "trace RUN|TICKET",
		Short:   "Shows one run's timeline; a ticket means its latest run",
		Example: "  resolver trace T-90104\n  resolver trace T-90104-agent-chat-small-1 --format json",
		Args:    cli.Exactly("RUN or TICKET"),
		RunE: func(c *cobra.Command, args []string) error {
			o.run = args[0]
			return trace(c.Context(), p, o)
		},
	}
	formatFlag(c, &o.format)
	return c
}

func trace(ctx context.Context, p *program, o traceOptions) error {
	w, err := p.openSaved(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	s, err := w.runOrLatest(ctx, o.run)
	if err != nil {
		return err
	}
	if o.format.Value == "json" {
		return p.printJSON(struct {
			RunID    string           `json:"run_id"`
			TicketID string           `json:"ticket"`
			Status   resolver.Status  `json:"status"`
			Events   []resolver.Event `json:"events"`
		}{s.RunID, s.TicketID, s.Status, s.Events})
	}
	p.printTrace(s)
	return nil
}

// runOrLatest returns the run of a name, or the latest run of the ticket that the name is.
func (w *workspace) runOrLatest(ctx context.Context, name string) (*resolver.TaskState, error) {
	known, err := w.knownRun(ctx, name)
	if err == nil {
		return w.store.Load(ctx, known.RunID)
	}
	if !errors.Is(err, resolver.ErrUnknownRun) {
		return nil, err
	}
	latest, latestErr := w.store.LatestRun(ctx, name)
	if errors.Is(latestErr, resolver.ErrUnknownRun) {
		return nil, err
	}
	if latestErr != nil {
		return nil, latestErr
	}
	return w.store.Load(ctx, latest)
}

// printTrace prints a line for each event: the step, what kind, what happened.
func (p *program) printTrace(s *resolver.TaskState) {
	for _, e := range s.Events {
		p.out.Printf("%3d  %-10s%s\n", e.Step, agent.CleanLine(e.Kind), agent.CleanLine(e.Text))
	}
}
