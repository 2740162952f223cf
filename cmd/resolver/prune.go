package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

type pruneOptions struct{ olderThan ageFlag }

func newPrune(p *program) *cobra.Command {
	var o pruneOptions
	c := &cobra.Command{
		Use:   "prune --older-than AGE",
		Short: "Deletes finished runs, with what they hold of customers",
		Long: `Deletes the runs that ended longer ago than AGE, with all they hold of customers. An unfinished run
is never deleted. Their ids are not used again, and the trail of who approved and did what stays
whole.`,
		Example: "  resolver runs prune --older-than 30d\n  resolver runs prune --older-than 12h",
		Args:    cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if !o.olderThan.set {
				return cli.WrongUse("%s needs --older-than AGE, such as 30d or 12h", c.CommandPath())
			}
			return prune(c.Context(), p, o)
		},
	}
	c.Flags().Var(&o.olderThan, "older-than", "how long ago a run must have ended, such as 30d or 12h")
	return c
}

func prune(ctx context.Context, p *program, o pruneOptions) error {
	w, err := p.openSaved(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	n, err := w.store.Prune(ctx, w.clock.Now().Add(-o.olderThan.age))
	if err != nil {
		return err
	}
	p.out.Printf("%d run(s) deleted\n", n)
	return nil
}
