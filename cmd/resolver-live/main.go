// Command resolver-live runs tickets against a live model and records what it answers, in the format that
// resolver replays, so that a team can record its own agent.
//
// It is a module of its own: the official client of OpenAI-compatible endpoints is nothing that the
// resolver, or a program that imports the harness, should have to carry.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	out := cli.NewOutput(os.Stdout)
	code := cli.Run(ctx, command(out, os.Getenv), os.Args[1:], out, os.Stderr, func(error) int { return 1 })
	stop()
	os.Exit(code)
}
