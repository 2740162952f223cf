package main

import (
	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

func (p *program) show() *cobra.Command {
	o := &matrixFlags{}
	c := &cobra.Command{
		Use:     "show --point P --strategy S [flags]",
		Short:   "One cell of the matrix as a numbered table of events",
		Example: "  paytwice show --point after-write --strategy naive-retry",
		Args:    cli.NoArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return p.runShow(c, o) },
	}
	o.selection.add(c.Flags())
	o.running.add(c.Flags(), matrix.Kill)
	o.writing.add(c.Flags(), showForms.names()...)
	c.Flags().StringSliceVar(&o.points, "point", nil, "the point: a lesson name, or one that points prints")
	return c
}

func (p *program) runShow(c *cobra.Command, o *matrixFlags) (failed error) {
	if len(o.points) != 1 || len(o.strategies) != 1 || o.points[0] == matrix.All {
		return cli.WrongUse("show needs one --point and one --strategy, such as --point after-write --strategy naive-retry")
	}
	o.lessonDefaults()
	if err := o.validate(); err != nil {
		return err
	}
	settings, err := o.settings(scenarios.Refund)
	if err != nil {
		return err
	}
	if len(settings) != 1 {
		return cli.WrongUse("show tells one story: name one ticket, strategy and provider")
	}
	if err := matrix.CheckPoint(o.points[0]); err != nil {
		return &cli.UsageError{Err: err}
	}
	if err := canRun(o.mode.Value); err != nil {
		return err
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	plan, err := matrix.PlanOf(c.Context(), settings[0], o.points[0])
	if err != nil {
		return err
	}
	if plan == nil {
		return &verdictError{exitHarness, settings[0].Strategy + " does not pass " + o.points[0]}
	}
	h, err := p.replayOne(c, scenarios.RefundScenario(), settings[0], plan, &o.running, scenarios.KillOptions{Timeout: o.timeout})
	if err != nil {
		return err
	}
	return deliver(p, to, showForms, o.format.Value, h)
}
