package main

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/reports"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios/catalog"
)

func (p *program) points() *cobra.Command {
	s, w := &selection{}, &writing{}
	c := &cobra.Command{
		Use:     "points [SCENARIO] [flags]",
		Short:   "Lists the points that the undisturbed run passes",
		Example: "  paytwice points refund\n  paytwice points refund --strategy mark-first",
		Args:    cli.Between("[SCENARIO]"),
		RunE:    func(c *cobra.Command, args []string) error { return p.runPoints(c, s, w, scenarioArgument(args)) },
	}
	s.add(c.Flags())
	w.add(c.Flags(), pointForms.names()...)
	return c
}

func (p *program) runPoints(c *cobra.Command, s *selection, wr *writing, name string) error {
	sc, settings, err := s.forScenario(name)
	if err != nil {
		return err
	}
	if len(settings) != 1 {
		return cli.WrongUse("points lists one run: name one ticket, strategy and provider")
	}
	to, err := p.open(wr)
	if err != nil {
		return err
	}
	defer to.discard()
	list, err := pointsOf(c.Context(), sc, settings[0])
	if err != nil {
		return err
	}
	return deliver(p, to, pointForms, wr.format.Value, list)
}

// listCommand is a command that prints a table of what there is.
func (p *program) listCommand(name, short string, head table.Row, rows func() []table.Row) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Example: "  paytwice " + name, Args: cli.NoArguments,
		RunE: func(*cobra.Command, []string) error { return reports.ListText(p.out, head, rows()) },
	}
}

func (p *program) scenarios() *cobra.Command {
	return p.listCommand("scenarios", "Lists the scenarios", table.Row{"name", "what it is"}, func() []table.Row {
		var rows []table.Row
		for _, s := range catalog.All() {
			doc := s.Doc
			if s.Broken {
				doc = "(broken: " + s.Expect + ") " + doc
			}
			rows = append(rows, table.Row{s.Name, doc})
		}
		return rows
	})
}

func (p *program) strategies() *cobra.Command {
	return p.listCommand("strategies", "Lists the ways to record, retry and recover", table.Row{"name", "on restart or after no answer"}, func() []table.Row {
		var rows []table.Row
		for _, s := range strategy.All() {
			rows = append(rows, table.Row{s.Name, s.Doc})
		}
		return rows
	})
}

func (p *program) profiles() *cobra.Command {
	return p.listCommand("profiles", "Lists how services treat repeats", table.Row{"name", "keys", "look-up", "lag", "a repeat gets"}, func() []table.Row {
		var rows []table.Row
		for _, pr := range provider.Profiles() {
			keys := "none"
			if pr.Keys() {
				keys = "for ever"
				if pr.KeyTTL > 0 {
					keys = pr.KeyTTL.String()
				}
			}
			lag := "-"
			if c := pr.Capabilities(); c.Lookup {
				lag = c.MaxDelay.String()
			}
			rows = append(rows, table.Row{pr.Name, keys, string(pr.Lookup), lag, string(pr.Repeat)})
		}
		return rows
	})
}
