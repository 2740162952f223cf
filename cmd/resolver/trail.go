package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

type trailOptions struct {
	runID  string
	format cli.Choice
}

func newTrail(p *program) *cobra.Command {
	var o trailOptions
	c := &cobra.Command{
		Use:     "trail [RUN]",
		Short:   "Shows the append-only trail, and whether it is whole",
		Example: "  resolver trail\n  resolver trail T-90104-agent-chat-small-1",
		Args:    cli.Between("[RUN]"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.runID = args[0]
			}
			return trail(c.Context(), p, o)
		},
	}
	formatFlag(c, &o.format)
	return c
}

func trail(ctx context.Context, p *program, o trailOptions) error {
	w, err := p.openSaved(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	entries, err := w.store.Trail(ctx, o.runID)
	if err != nil {
		return err
	}
	if len(entries) == 0 && o.runID != "" {
		// A run that was pruned is known by its trail alone.
		if _, err := w.knownRun(ctx, o.runID); err != nil {
			return err
		}
	}
	broken := w.store.TrailWhole(ctx)
	if o.format.Value == "json" {
		if err := p.printJSON(struct {
			Whole bool                  `json:"whole"`
			Trail []resolver.TrailEntry `json:"trail"`
		}{broken == nil, entries}); err != nil {
			return err
		}
		return broken
	}
	for _, e := range entries {
		p.printTrailEntry(e)
	}
	if broken != nil {
		return broken
	}
	p.out.Printf("%d entries; the trail is whole\n", len(entries))
	return nil
}

func (p *program) printTrailEntry(e resolver.TrailEntry) {
	p.out.Printf("%5d  %s  %s\n", e.Seq, localTime(e.At), agent.CleanLine(e.RunID))
	text := e.What + " by " + e.Actor
	if e.OperationID != "" {
		text += ", operation " + e.OperationID
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	p.out.Printf("%s\n", cli.Wrap(agent.CleanLine(text), strings.Repeat(" ", 7)))
}
