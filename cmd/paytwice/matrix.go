package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// matrixFlags is what the matrix is asked for.
type matrixFlags struct {
	selection
	running
	splitting
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
	o.splitting.add(c.Flags())
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
	if err := canRun(o.mode.Value); err != nil {
		return err
	}
	here := o.here(c, nil)
	have, err := had(&o.splitting, here, parts.FinishedCells)
	if err != nil {
		return err
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	result, err := p.fill(c.Context(), o, matrix.Request{Settings: settings, Have: have})
	if err != nil {
		return err
	}
	m := result.Matrix
	m.Shard, m.Part = o.shard.String(), o.part(here, len(settings), result.Cases, m.LeftOut != "")
	if m.Part != nil {
		m.Part.Unfilled = result.Unfilled
	}
	if m.LeftOut == "" {
		p.idle(&o.splitting, len(result.Cases), "plans")
	}
	return p.finishMatrix(to, o.format.Value, m, result.Unfilled)
}

// finishMatrix writes a matrix and returns the error that it ends with. What a part does not fill may be filled
// by another, so only a whole one must have cells.
func (p *program) finishMatrix(to *destination, format string, m history.Matrix, unfilled []string) error {
	whole := m.Part == nil
	if whole && len(m.Cells) == 0 {
		return &verdictError{exitHarness, "the matrix has no cell: none of the strategies passes " + strings.Join(unfilled, ", ")}
	}
	if whole {
		m.Unfilled = unfilled
	}
	if err := deliver(p, to, matrixForms, format, m); err != nil {
		return err
	}
	if n := notLanded(m.Cells); n > 0 {
		return &verdictError{exitHarness, fmt.Sprintf("%d of %d cells are of a plan that did not strike", n, len(m.Cells))}
	}
	if whole && len(unfilled) > 0 {
		return &verdictError{exitHarness, "no strategy passes " + strings.Join(unfilled, ", ")}
	}
	return leftOpen(nil, to.goesOn(m.LeftOut))
}

// notLanded counts the cells that show nothing: their kill did not land.
func notLanded(cells []history.Cell) int {
	n := 0
	for _, c := range cells {
		if !c.Landed {
			n++
		}
	}
	return n
}

// fill has a matrix filled as the flags say.
func (p *program) fill(ctx context.Context, o *matrixFlags, r matrix.Request) (matrix.Result, error) {
	progress := p.progress("matrix", o.quiet)
	defer progress.end()
	r.Points, r.Mode, r.Seed, r.Workers, r.Timeout = o.points, o.mode.Value, o.seed, o.workers, o.timeout
	r.Shard, r.Progress = o.shard.Shard, progress.at
	result, err := matrix.Run(ctx, r)
	for _, n := range result.Matrix.Notes {
		p.note(n)
	}
	return result, stuck(err, scenarios.RefundScenario())
}

// note says something beside the result.
func (p *program) note(text string) { _, _ = io.WriteString(p.errOut, "paytwice: "+text+"\n") }
