package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
)

// The environment that names the endpoint; the key never is a flag, where others could read it.
const (
	envBaseURL = "OPENAI_BASE_URL"
	envKey     = "OPENAI_API_KEY"
)

type options struct {
	variant cli.Choice
	model   string
	repeat  int
	file    string
	timeout time.Duration
}

func command(out *cli.Output, getenv func(string) string) *cobra.Command {
	o := &options{variant: cli.Choice{Value: agent.VariantAgent, Allowed: agent.Variants()}}
	c := &cobra.Command{
		Use:   "resolver-live --model M -o FILE.jsonl TICKET... | all",
		Short: "Records a live model's decisions about tickets",
		Long: "Runs the loop against any OpenAI-compatible endpoint and records each answer. It reads the\n" +
			"practice data and changes nothing: no proposal is approved here.\n\n" +
			envBaseURL + " names the endpoint, " + envKey + " holds its key.",
		Example: "  resolver-live --model my-model -o recordings/mine.jsonl T-90104 T-65273\n  resolver-live --model my-model --variant agent_structured -o all.jsonl all",
		RunE: func(c *cobra.Command, args []string) error {
			return record(c.Context(), o, args, out, getenv)
		},
	}
	f := c.Flags()
	f.Var(&o.variant, "variant", "how the model is asked")
	f.StringVar(&o.model, "model", "", "the model's name at the endpoint")
	f.IntVar(&o.repeat, "repeat", 1, "the repeat that the recording is marked as")
	f.StringVarP(&o.file, "output", "o", "", "the recording to write; it must not exist yet")
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long to wait for one answer")
	return c
}

// record runs the tickets one after the other. Each answer is in the file before the next is asked for, so
// nothing that was paid for is lost when this process ends early.
func record(ctx context.Context, o *options, args []string, out *cli.Output, getenv func(string) string) error {
	tickets, err := o.tickets(args)
	if err != nil {
		return err
	}
	if getenv(envKey) == "" || getenv(envBaseURL) == "" {
		return cli.WrongUse("%s and %s must name the endpoint and its key", envBaseURL, envKey)
	}
	file, err := os.OpenFile(o.file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return cli.WrongUse("recording can't be written: %w", err)
	}
	recorder := &agent.Recorder{Model: newEndpoint(getenv(envBaseURL), getenv(envKey), o.timeout), Out: file, Clock: cli.Wall{}}
	runs := &runner{options: o, recorder: recorder, out: out}
	err = runs.all(ctx, tickets)
	return errors.Join(err, recorder.Err(), file.Close())
}

func (o *options) tickets(args []string) ([]larkfield.Task, error) {
	if o.model == "" || o.file == "" || len(args) == 0 {
		return nil, cli.WrongUse("resolver-live needs --model, -o and at least one ticket, or all")
	}
	if o.repeat < 1 {
		return nil, cli.WrongUse("--repeat %d is not above 0", o.repeat)
	}
	if len(args) == 1 && args[0] == "all" {
		return larkfield.Tasks(), nil
	}
	var tasks []larkfield.Task
	for _, id := range args {
		task, ok := larkfield.TaskByID(id)
		if !ok {
			return nil, cli.WrongUse("unknown ticket %q", id)
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

type runner struct {
	*options
	recorder *agent.Recorder
	out      io.Writer
}

func (r *runner) all(ctx context.Context, tasks []larkfield.Task) error {
	world := services.NewMemory(services.Config{Now: cli.Wall{}.Now})
	for _, task := range tasks {
		caller := services.Caller{TicketID: task.ID, Faults: services.TicketFaults(task.Faults)}
		loop := &agent.Loop{Model: r.recorder, Services: world.Services(caller)}
		s := resolver.NewState(task.Ticket, resolver.RunID(task.ID, r.variant.Value, r.model, 1), r.variant.Value, r.model, r.repeat)
		if err := loop.Run(ctx, task.Ticket, s, nil); err != nil {
			return fmt.Errorf("%s: %w", task.ID, err)
		}
		what := s.StopReason
		if s.Proposal != nil {
			what = s.Proposal.Summary()
		}
		fmt.Fprintf(r.out, "%s  %d call(s)  %d in  %d out  %s\n", task.ID, s.Usage.ModelCalls, s.Usage.InputTokens, s.Usage.OutputTokens, agent.CleanLine(what))
	}
	return nil
}
