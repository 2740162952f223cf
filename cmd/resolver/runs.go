package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

type runsOptions struct{ format cli.Choice }

func newRuns(p *program) *cobra.Command {
	var o runsOptions
	c := &cobra.Command{
		Use:     "runs",
		Short:   "Lists the saved runs",
		Example: "  resolver runs\n  resolver runs --format json\n  resolver runs prune --older-than 30d",
		RunE:    func(c *cobra.Command, _ []string) error { return runs(c.Context(), p, o) },
	}
	formatFlag(c, &o.format)
	c.AddCommand(newPrune(p))
	return c
}

func runs(ctx context.Context, p *program, o runsOptions) error {
	w, err := p.openSaved(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	list, err := w.store.List(ctx)
	if err != nil {
		return err
	}
	if o.format.Value == "json" {
		return p.printJSON(struct {
			Runs []resolver.RunSummary `json:"runs"`
		}{list})
	}
	if len(list) == 0 {
		p.note("no run is saved in %s; resolver run TICKET makes one", p.workDir())
	}
	for _, r := range list {
		p.out.Printf("%-40s %s  %s\n", agent.CleanLine(r.RunID), p.statusColumn(r.Status), localTime(r.UpdatedAt))
	}
	return nil
}

// statusColumn is a status in its column: coloured after it is padded, so that the columns stay in line.
func (p *program) statusColumn(s resolver.Status) string {
	text := fmt.Sprintf("%-16s", s)
	switch s {
	case resolver.Done:
		return p.style.Good(text)
	case resolver.HandedToPerson, resolver.Stopped:
		return p.style.Bad(text)
	}
	return p.style.Open(text)
}

// printJSON prints one document.
func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
