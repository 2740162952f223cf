package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

func (p *program) check() *cobra.Command {
	o := &exploreFlags{}
	c := &cobra.Command{
		Use:   "check [SCENARIO...] [flags]",
		Short: "The gate for CI: every scenario, two kills simulated, then every single kill for real",
		Example: "  paytwice check\n  paytwice check refund --strategy naive-retry\n" +
			"  paytwice check --format json -o check.json",
		RunE: func(c *cobra.Command, args []string) error { return p.runCheck(c, o, args) },
	}
	o.selection.add(c.Flags())
	o.running.add(c.Flags(), matrix.Simulate)
	o.searching.add(c.Flags())
	o.writing.add(c.Flags(), checkForms.names()...)
	return c
}

// gateCase is one scenario with the combinations that the gate runs of it.
type gateCase struct {
	scenario scenarios.Scenario
	settings []scenarios.Setting
}

func (p *program) runCheck(c *cobra.Command, o *exploreFlags, names []string) (failed error) {
	if err := o.running.validate(); err != nil {
		return err
	}
	if err := o.searching.validate(); err != nil {
		return err
	}
	if o.crashes < 1 {
		return cli.WrongUse("--crashes 0 leaves nothing to check: the gate kills at least once")
	}
	cases, leftOut, err := o.gateCases(names)
	if err != nil {
		return err
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	d := history.Explorations{Schema: history.ExplorationsSchema, Runs: []history.Exploration{}, LeftOut: leftOut}
	modes := []string{matrix.Simulate, matrix.Kill}
	if c.Flags().Changed("mode") {
		modes = []string{o.mode.Value}
		d.LeftOut = append(d.LeftOut, "every run but --mode "+o.mode.Value)
	} else if !child.Supported {
		return scenarios.ErrNoKill
	}
	if slices.Contains(modes, matrix.Kill) {
		var memory []string
		for _, g := range cases {
			if g.scenario.Program == nil {
				memory = append(memory, g.scenario.Name)
			}
		}
		if len(memory) > 0 {
			d.LeftOut = append(d.LeftOut, "real kills of what lives in memory only: "+strings.Join(memory, ", "))
		}
	}
	for _, mode := range modes {
		if err := p.gate(c, o, cases, mode, &d); err != nil {
			return err
		}
	}
	if err := deliver(p, to, checkForms, o.format.Value, d); err != nil {
		return err
	}
	return worst(d.Runs)
}

// gate runs every case in one mode: all plans in a simulation, every single kill for real.
func (p *program) gate(c *cobra.Command, o *exploreFlags, cases []gateCase, mode string, d *history.Explorations) error {
	for _, g := range cases {
		crashes := o.crashes
		if mode == matrix.Kill {
			crashes = min(crashes, 1)
			if g.scenario.Program == nil {
				continue
			}
		}
		x, err := p.explorerOf(o)
		if err != nil {
			return err
		}
		if !c.Flags().Changed("faults") && mode == matrix.Simulate {
			if x.faults, err = faultEvents(g.scenario.Faults); err != nil {
				return err
			}
		}
		for _, s := range g.settings {
			e, err := x.explore(c.Context(), g.scenario, s, mode, crashes)
			x.progress.end()
			if err != nil {
				return err
			}
			d.Runs = append(d.Runs, e)
		}
	}
	return nil
}

// gateCases returns what to run: the named scenarios, or every mended one; with --strategy only those that
// it applies to. It says what is left out.
func (o *exploreFlags) gateCases(names []string) ([]gateCase, []string, error) {
	var leftOut []string
	if len(names) == 0 {
		for _, sc := range catalog.All() {
			switch {
			case sc.Broken:
			case len(o.strategies) > 0 && !sc.Strategy, len(o.tickets) > 0 && !sc.Ticket, len(o.providers) > 0 && !sc.Ticket:
				leftOut = append(leftOut, sc.Name)
			default:
				names = append(names, sc.Name)
			}
		}
	}
	if len(leftOut) > 0 {
		leftOut = []string{"the scenarios that these flags mean nothing to: " + strings.Join(leftOut, ", ")}
	}
	var cases []gateCase
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		sc, settings, err := o.selection.forScenario(name)
		if err != nil {
			return nil, nil, err
		}
		cases = append(cases, gateCase{sc, settings})
	}
	return cases, leftOut, nil
}
