package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
)

type approveOptions struct {
	runID      string
	role       cli.Choice
	name, note string
	faults     faultFlags
	interrupt  cli.Choice
	naiveRetry bool
}

func newApprove(p *program) *cobra.Command {
	o := approveOptions{interrupt: cli.Choice{Allowed: []string{string(resolver.InterruptBeforeWrite), string(resolver.InterruptAfterWrite)}}}
	c := &cobra.Command{
		Use:   "approve RUN --as ROLE",
		Short: "Approves a proposal and makes its changes",
		Example: `  resolver approve T-90104-agent-chat-small-1 --as agent
  resolver approve T-65273-agent-chat-small-1 --as grace --name Grace --interrupt after-write`,
		Args: cli.Exactly("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			o.runID = args[0]
			if err := needRole(c, o.role); err != nil {
				return err
			}
			return approve(c.Context(), p, o)
		},
	}
	roleFlag(c, &o.role)
	c.Flags().StringVar(&o.name, "name", "", "who approves (default the role)")
	c.Flags().StringVar(&o.note, "note", "", "a `text` for the record")
	addFaultFlag(c, &o.faults)
	c.Flags().Var(&o.interrupt, "interrupt", "stop as if the process died at this moment")
	c.Flags().BoolVar(&o.naiveRetry, "naive-retry", false, "after a time-out, send a new request unasked")
	return c
}

func approve(ctx context.Context, p *program, o approveOptions) error {
	w, err := p.openWithWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	known, err := w.knownRun(ctx, o.runID)
	if err != nil {
		return err
	}
	r, err := w.runner(o.runID, known.TicketID, o.faults)
	if err != nil {
		return err
	}
	r.Interrupt, r.NaiveRetry = resolver.Interrupt(o.interrupt.Value), o.naiveRetry
	s, err := w.whole(ctx, func(ctx context.Context) (*resolver.TaskState, error) {
		return r.Approve(ctx, o.runID, resolver.Role(o.role.Value), o.name, o.note)
	})
	var stop *resolver.InterruptedError
	switch {
	case errors.As(err, &stop):
		w.printStop(stop)
		return nil
	case errors.Is(err, resolver.ErrNotWaiting):
		return decided(s, err)
	case err != nil:
		return err
	}
	w.printResult(s)
	return nil
}

// decided says by whom a run that no longer waits was decided, and what can be done with it.
func decided(s *resolver.TaskState, err error) error {
	if s == nil {
		return err
	}
	text := fmt.Sprintf("the run is %s", s.Status)
	if s.Approval != nil {
		text += fmt.Sprintf(", approved by %s (%s) at %s", s.Approval.Name, s.Approval.Role, localTime(s.Approval.At))
	}
	if !s.Status.Final() {
		text += "; go on with: resolver resume " + s.RunID
	}
	return fmt.Errorf("run %s: %w: %s", s.RunID, resolver.ErrNotWaiting, text)
}
