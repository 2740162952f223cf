package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

type rejectOptions struct {
	runID      string
	role       cli.Choice
	name, note string
}

func newReject(p *program) *cobra.Command {
	var o rejectOptions
	c := &cobra.Command{
		Use:     "reject RUN --as ROLE",
		Short:   "Hands a proposal to a person; nothing is written",
		Example: `  resolver reject T-90104-agent-chat-small-1 --as agent --note "the customer called"`,
		Args:    cli.Exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			o.runID = args[0]
			if err := needRole(c, o.role); err != nil {
				return err
			}
			return reject(c.Context(), p, o)
		},
	}
	roleFlag(c, &o.role)
	c.Flags().StringVar(&o.name, "name", "", "who rejects (default the role)")
	c.Flags().StringVar(&o.note, "note", "", "a `text` for the record")
	return c
}

func reject(ctx context.Context, p *program, o rejectOptions) error {
	w, err := p.openWithWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	known, err := w.knownRun(ctx, o.runID)
	if err != nil {
		return err
	}
	r, err := w.runner(o.runID, known.TicketID, nil)
	if err != nil {
		return err
	}
	s, err := r.Reject(ctx, o.runID, resolver.Role(o.role.Value), o.name, o.note)
	if errors.Is(err, resolver.ErrNotWaiting) {
		return decided(s, err)
	}
	if err != nil {
		return err
	}
	w.out.Printf("Run %s: %s. A person takes over; nothing was written.\n", s.RunID, agent.CleanLine(s.StopReason))
	w.printStatus(s)
	return nil
}
