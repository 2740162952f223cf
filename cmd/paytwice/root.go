package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/reports"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// Exit codes beside those that all programs share.
const (
	exitViolation = 1
	exitHarness   = 3
	exitUndecided = 4
)

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := &program{out: cli.NewOutput(stdout), errOut: stderr}
	style := cli.StyleFor(stdout, os.Getenv)
	p.style = reports.Style{Good: style.Good, Bad: style.Bad, Open: style.Open, Strong: style.Strong}
	return cli.Run(ctx, p.root(), args, p.out, stderr, exitCode)
}

// program is what every command writes to.
type program struct {
	out    *cli.Output
	errOut io.Writer
	style  reports.Style
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "paytwice",
		Short: "Finds the crashes after which a program makes a change twice, or loses it",
		Long: "paytwice kills a program at every point around every change it makes, starts it again,\n" +
			"kills the recovery, too, and judges what happened outside the process.",
		Example: "  paytwice matrix\n  paytwice explore refund --crashes 3\n  paytwice check",
	}
	root.AddCommand(p.matrix(), p.show(), p.explore(), p.check(), p.replay(), p.points(), p.scenarios(), p.strategies(), p.profiles(),
		p.audit(), p.exec(), p.provider(), p.export(), p.serve(), p.merge())
	for _, sub := range root.Commands() {
		do := sub.RunE
		sub.RunE = func(c *cobra.Command, args []string) error { return listed(do(c, args)) }
	}
	complete(root)
	return root
}

// lists says which command lists the names of a kind that are too many for a message.
var lists = map[string]string{"scenario": "paytwice scenarios", "ticket": "resolver tasks"}

// listed adds to an error about a name that is near none where the names are listed.
func listed(err error) error {
	var unknown *scenarios.UnknownError
	if !errors.As(err, &unknown) || unknown.Nearest != "" || lists[unknown.Kind] == "" {
		return err
	}
	return fmt.Errorf("%w; %s lists them", err, lists[unknown.Kind])
}

// verdictError ends a command whose result is out with the code of its verdict.
type verdictError struct {
	code int
	text string
}

func (e *verdictError) Error() string { return e.text }

// exitCode returns the code of an error that is not wrong use. Names that mean nothing and plans that
// don't parse are the caller's, an interruption decides nothing; everything else kept the harness from its work.
func exitCode(err error) int {
	var verdict *verdictError
	var unknown *scenarios.UnknownError
	var plan *faults.ParseError
	var noProcess *matrix.NoProcessError
	switch {
	case errors.As(err, &verdict):
		return verdict.code
	case errors.Is(err, context.Canceled):
		return exitUndecided
	case errors.As(err, &unknown), errors.As(err, &plan), errors.As(err, &noProcess):
		return cli.ExitUsage
	default:
		return exitHarness
	}
}

// stuck adds to the error of a life in memory that did not come back what can be done about it.
func stuck(err error, sc scenarios.Scenario) error {
	var e *explorer.StuckError
	var gone *explorer.GoneError
	switch {
	case errors.As(err, &gone) && sc.Program != nil:
		return fmt.Errorf("%w; --mode kill judges it", err)
	case !errors.As(err, &e):
		return err
	case sc.Program == nil:
		return fmt.Errorf("%w; --timeout gives it more time", err)
	default:
		return fmt.Errorf("%w; --mode kill ends it and judges it, --timeout gives it more time", err)
	}
}

// verdict returns the error that a worst verdict ends with, nil for a pass.
func verdict(violations, undecided int, leftOut string) error {
	switch {
	case violations > 0:
		return &verdictError{exitViolation, fmt.Sprintf("%d violation(s)", violations)}
	case undecided > 0:
		return &verdictError{exitUndecided, "undecided: " + leftOut}
	default:
		return nil
	}
}

// worst sums explorations to the error that the command ends with: the first that applies of what kept the
// harness from its work, a violation, a bound.
func worst(runs []history.Exploration) error {
	violations, undecided, leftOut := 0, 0, ""
	for _, e := range runs {
		// A search plans only what it has seen: an event that did not strike is the harness's fault.
		if len(e.Unreached) > 0 {
			return &verdictError{exitHarness, "not reached: " + strings.Join(e.Unreached, ", ")}
		}
		violations += len(e.Violations)
		if !e.Complete {
			if undecided++; undecided == 1 {
				leftOut = e.LeftOut
			}
		}
	}
	if undecided > 1 {
		leftOut = fmt.Sprintf("%d of %d searches were not finished; the first: %s", undecided, len(runs), leftOut)
	}
	return verdict(violations, undecided, leftOut)
}
