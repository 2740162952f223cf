package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver/agent"
)

type tasksOptions struct{ slice string }

func newTasks(p *program) *cobra.Command {
	var o tasksOptions
	c := &cobra.Command{
		Use:     "tasks [--slice S]",
		Short:   "Lists the tickets",
		Example: "  resolver tasks\n  resolver tasks --slice failure",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return tasks(p, o) },
	}
	c.Flags().StringVar(&o.slice, "slice", "", "only the tickets of this `slice`, such as simple or failure")
	return c
}

func tasks(p *program, o tasksOptions) error {
	course, err := p.course()
	if err != nil {
		return err
	}
	list, err := course.Tasks()
	if err != nil {
		return err
	}
	var known []string
	shown := 0
	for _, t := range list {
		if !slices.Contains(known, t.Slice) {
			known = append(known, t.Slice)
		}
	}
	if o.slice != "" && !slices.Contains(known, o.slice) {
		return cli.WrongUse("unknown slice %q%s", o.slice, cli.DidYouMean(o.slice, known))
	}
	for _, t := range list {
		if o.slice != "" && t.Slice != o.slice {
			continue
		}
		shown++
		p.out.Printf("%-8s %-13s %s\n", agent.CleanLine(t.ID), agent.CleanLine(t.Slice), cli.Shorten(agent.CleanLine(t.Text), 75))
	}
	p.out.Printf("%d ticket(s)\n", shown)
	return nil
}
