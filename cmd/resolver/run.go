package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

type runOptions struct {
	ticket    string
	variant   cli.Choice
	model     string
	repeat    int
	runID     string
	faults    faultFlags
	interrupt stepFlag
	trace     bool
}

func newRun(p *program) *cobra.Command {
	o := runOptions{variant: cli.Choice{Value: agent.VariantAgent, Allowed: agent.Variants()}}
	c := &cobra.Command{
		Use:   "run TICKET",
		Short: "Replays the recorded decisions to a proposal; nothing is written",
		Example: `  resolver run T-65273
  resolver run T-90104 --variant agent_structured --model chat-strong
  resolver run T-65273 --interrupt after-step-1`,
		Args: cli.Exactly("TICKET"),
		RunE: func(c *cobra.Command, args []string) error {
			o.ticket = args[0]
			return runTicket(c.Context(), p, o)
		},
	}
	c.Flags().Var(&o.variant, "variant", "how the model is asked")
	c.Flags().StringVar(&o.model, "model", "chat-small", "whose decisions are replayed")
	c.Flags().IntVar(&o.repeat, "repeat", 1, "which recording of several, from 1")
	c.Flags().StringVar(&o.runID, "run-id", "", "a run `id` of your own (default TICKET-VARIANT-MODEL-N)")
	addFaultFlag(c, &o.faults)
	c.Flags().Var(&o.interrupt, "interrupt", "stop as if the process died, once step N is saved")
	c.Flags().BoolVar(&o.trace, "trace", false, "print the run's timeline too")
	return c
}

// nameForm is what a model or a run may be called: names become parts of ids, and of commands to copy.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func (o runOptions) check() error {
	switch {
	case !nameForm.MatchString(o.model):
		return cli.WrongUse("--model %q is not a name of up to 100 letters, digits, points and dashes", o.model)
	case o.runID != "" && !nameForm.MatchString(o.runID):
		return cli.WrongUse("--run-id %q is not a name of up to 100 letters, digits, points and dashes", o.runID)
	case o.repeat < 1:
		return cli.WrongUse("--repeat %d is not 1 or more", o.repeat)
	}
	return nil
}

func runTicket(ctx context.Context, p *program, o runOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	course, err := p.course()
	if err != nil {
		return err
	}
	task, err := knownTicket(course, o.ticket)
	if err != nil {
		return err
	}
	if _, found, _ := course.Task(o.runID); found {
		return cli.WrongUse("--run-id %s is the name of a ticket", o.runID)
	}
	// A copy that was damaged since its import is the folder's trouble, not the model's.
	if _, err := course.RecordingsOf(task.ID); err != nil {
		return err
	}
	w, err := p.openWithWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	s, err := w.whole(ctx, func(ctx context.Context) (*resolver.TaskState, error) { return w.start(ctx, task, o) })
	var stop *resolver.InterruptedError
	switch {
	case errors.As(err, &stop):
		w.traceIf(o.trace, s)
		w.printStop(stop)
		return nil
	case err != nil:
		return err
	}
	if o.interrupt > 0 {
		w.note("the run ended at step %d, before the stop that was asked for", s.Step)
	}
	w.traceIf(o.trace, s)
	w.printOutcome(s)
	w.printProposal(s)
	return nil
}

// maxIDTries bounds how often a free run id is asked for: it is lost only to another process that takes it
// between the question and the save.
const maxIDTries = 100

func (w *workspace) start(ctx context.Context, task larkfield.Task, o runOptions) (*resolver.TaskState, error) {
	for range maxIDTries {
		id := o.runID
		if id == "" {
			var err error
			if id, err = w.store.NextRunID(ctx, task.ID, o.variant.Value, o.model); err != nil {
				return nil, err
			}
		}
		r, err := w.runner(id, task.ID, o.faults)
		if err != nil {
			return nil, err
		}
		if o.interrupt > 0 {
			r.Loop = stoppingLoop{Loop: r.Loop, after: int(o.interrupt)}
		}
		s := resolver.NewState(task.Ticket, id, o.variant.Value, o.model, o.repeat)
		err = r.Start(ctx, task.Ticket, s)
		if errors.Is(err, resolver.ErrRunExists) {
			if o.runID == "" {
				continue
			}
			err = fmt.Errorf("%w; a run never replaces a saved one: choose another --run-id", err)
		}
		return s, err
	}
	return nil, fmt.Errorf("no free run id for %s after %d tries", task.ID, maxIDTries)
}

// stoppingLoop is the lesson's crash in the loop: it stops once a step is saved.
type stoppingLoop struct {
	resolver.Loop
	after int
}

func (l stoppingLoop) Run(ctx context.Context, t resolver.Ticket, s *resolver.TaskState, onStep func(context.Context, *resolver.TaskState) error) error {
	return l.Loop.Run(ctx, t, s, func(ctx context.Context, s *resolver.TaskState) error {
		if err := onStep(ctx, s); err != nil {
			return err
		}
		if s.Step == l.after {
			return &resolver.InterruptedError{RunID: s.RunID, Where: fmt.Sprintf("after step %d", s.Step)}
		}
		return nil
	})
}

func (w *workspace) traceIf(asked bool, s *resolver.TaskState) {
	if !asked {
		return
	}
	w.out.Printf("Trace of run %s:\n", s.RunID)
	w.printTrace(s)
	w.out.Printf("\n")
}
