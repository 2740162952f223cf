package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// matrixFlags is what the matrix is asked for.
type matrixFlags struct {
	selection
	running
	writing
	points []string
}

func (p *program) matrix() *cobra.Command {
	o := &matrixFlags{}
	c := &cobra.Command{
		Use:   "matrix [flags]",
		Short: "The refund-count matrix: strategies against crash points",
		Long: "Kills the workflow at each point, starts it again with each strategy, and counts what happened\n" +
			"outside the process. It exits 0 when it could fill what was asked: showing violations is its job.",
		Example: "  paytwice matrix\n  paytwice matrix --point during-call,timeout\n  paytwice matrix --point mid-loop\n" +
			"  paytwice matrix --ticket all --strategy operation-id,naive-retry\n  paytwice matrix --strategy all --provider all --mode simulate",
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return p.runMatrix(c, o) },
	}
	o.selection.add(c.Flags())
	o.running.add(c.Flags(), matrix.Kill)
	o.writing.add(c.Flags(), matrixForms.names()...)
	c.Flags().StringSliceVar(&o.points, "point", []string{matrix.BeforeWrite, matrix.DuringCall, matrix.AfterWrite}, "points: lesson names, names that points prints, or all")
	return c
}

// lessonDefaults fills what a lesson point has defaults of its own for.
func (o *matrixFlags) lessonDefaults() {
	if slices.Equal(o.points, []string{matrix.MidLoop}) {
		if len(o.tickets) == 0 && o.variant == "" && o.model == "" {
			o.tickets, o.variant, o.model = []string{"T-65273"}, "agent", "chat-small"
		}
		if len(o.strategies) == 0 {
			o.strategies = []string{"operation-id", "restart"}
		}
	}
	if len(o.strategies) == 0 {
		o.strategies = []string{"operation-id", "naive-retry"}
	}
}

func (p *program) runMatrix(c *cobra.Command, o *matrixFlags) (failed error) {
	o.lessonDefaults()
	if err := o.validate(); err != nil {
		return err
	}
	settings, err := o.settings(scenarios.Refund)
	if err != nil {
		return err
	}
	if _, err := expand("point", o.points, nil, matrix.CheckPoint); err != nil {
		return &cli.UsageError{Err: err}
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	result, err := p.fill(c.Context(), o, settings)
	if err != nil {
		return err
	}
	if len(result.Matrix.Cells) == 0 {
		return &verdictError{exitHarness, "the matrix has no cell: none of the strategies passes " + strings.Join(o.points, ", ")}
	}
	if err := deliver(p, to, matrixForms, o.format.Value, result.Matrix); err != nil {
		return err
	}
	if len(result.Unfilled) > 0 {
		return &verdictError{exitHarness, "no strategy passes " + strings.Join(result.Unfilled, ", ")}
	}
	return nil
}

func (p *program) fill(ctx context.Context, o *matrixFlags, settings []scenarios.Setting) (matrix.Result, error) {
	progress := p.progress("matrix", o.quiet)
	defer progress.end()
	result, err := matrix.Run(ctx, matrix.Request{Settings: settings, Points: o.points, Mode: o.mode.Value, Seed: o.seed, Workers: o.workers,
		Timeout: o.timeout, Progress: progress.at})
	for _, n := range result.Matrix.Notes {
		p.note(n)
	}
	return result, err
}

// note says something beside the result.
func (p *program) note(text string) { _, _ = io.WriteString(p.errOut, "paytwice: "+text+"\n") }
