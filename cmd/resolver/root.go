package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/cmd/resolver/internal/course"
	"github.com/paytwice/paytwice/resolver"
)

// exitRefused is the exit code of a command that is itself refused: an approval, a rejection, an execution
// without a matching approval, an unknown run or ticket, a live lease, a store that can't be read or written.
const exitRefused = 1

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer, getenv func(string) string) int {
	p := &program{
		out: cli.NewOutput(out), errOut: errOut, getenv: getenv, clock: cli.Wall{}, style: cli.StyleFor(out, getenv),
	}
	return cli.Run(ctx, newRoot(p), args, p.out, errOut, func(error) int { return exitRefused })
}

// explained returns an error as it is shown: a live lease says by whom and until when, and nothing else.
func explained(err error) error {
	var held *resolver.LeaseHeldError
	if !errors.As(err, &held) {
		return err
	}
	return fmt.Errorf("run %s is held by %s until %s; try again when that process has ended, or then",
		held.RunID, held.Holder, localTime(held.Until))
}

// program is what every subcommand is given.
type program struct {
	out    *cli.Output
	errOut io.Writer
	getenv func(string) string
	clock  resolver.Clock
	style  cli.Style
	// dir is the flag --dir; see workDir.
	dir string
	// served is the course of the work folder, once it was asked for.
	served *course.Course
}

func newRoot(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "resolver",
		Short: "Larkfield's support workflow: proposals, approvals and changes that survive a crash",
		Long: `resolver turns a support ticket into a proposal, waits for a person's approval and makes the
approved changes exactly once, whatever stops the process in between. Model decisions are replayed
from recordings, and every change goes into a practice database on this computer.

The work folder holds both: --dir, or RESOLVER_DIR, or work below the current folder.`,
		Example: `  resolver run T-90104
  resolver approve T-90104-agent-chat-small-1 --as agent
  resolver changes`,
	}
	c.PersistentFlags().StringVar(&p.dir, "dir", "", "work `folder` (default RESOLVER_DIR, else work)")
	c.AddCommand(
		newTasks(p), newShow(p), newRun(p), newApprove(p), newReject(p), newResume(p), newRuns(p), newTrace(p),
		newChanges(p), newRefund(p), newWork(p), newTrail(p), newReset(p), newImport(p),
	)
	for _, sub := range c.Commands() {
		do := sub.RunE
		sub.RunE = func(c *cobra.Command, args []string) error { return explained(do(c, args)) }
	}
	return c
}
