package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/parts"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

func (p *program) check() *cobra.Command {
	o := &checkFlags{}
	c := &cobra.Command{
		Use:   "check [SCENARIO...] [flags]",
		Short: "The gate for CI: every scenario, two kills simulated, then every single kill for real",
		Example: "  paytwice check\n  paytwice check refund --strategy naive-retry\n" +
			"  paytwice check --format json -o check.json\n" +
			"  paytwice check --baseline known.json --update-baseline",
		RunE: func(c *cobra.Command, args []string) error { return p.runCheck(c, o, args) },
	}
	o.selection.add(c.Flags())
	o.running.add(c.Flags(), matrix.Simulate)
	o.searching.add(c.Flags())
	c.Flags().Lookup("crashes").Usage = "how many faults a plan may have, 1 to 5"
	o.splitting.add(c.Flags())
	o.ratcheting.add(c.Flags())
	o.writing.add(c.Flags(), checkForms.names()...)
	return c
}

type checkFlags struct {
	exploreFlags
	ratcheting
}

// gateCase is one scenario with the combinations that the gate runs of it.
type gateCase struct {
	scenario scenarios.Scenario
	settings []scenarios.Setting
}

func (p *program) runCheck(c *cobra.Command, o *checkFlags, names []string) (failed error) {
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
	modes, err := o.gateModes(c.Flags().Changed("mode"))
	if err != nil {
		return err
	}
	list := searches{shard: o.shard.Shard}
	if list.list, err = o.gateSearches(cases, modes, c.Flags().Changed("faults")); err != nil {
		return err
	}
	here := o.here(c, names)
	if list.had, err = had(&o.splitting, here, parts.FinishedRuns); err != nil {
		return err
	}
	known, err := o.ratcheting.open(p, o.writing.file)
	if err != nil {
		return err
	}
	defer known.discard()
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	d, interrupted, err := p.search(c.Context(), &o.exploreFlags, list, here)
	if err != nil {
		return err
	}
	d.LeftOut = slices.Concat(leftOut, notKilled(cases, modes), d.LeftOut)
	if err := known.hold(&d); err != nil {
		return err
	}
	if err := deliver(p, to, checkForms, o.format.Value, d); err != nil {
		return err
	}
	if err := known.save(d); err != nil {
		return err
	}
	return leftOpen(known.worstNew(d), to.goesOn(interrupted))
}

// gateModes returns the ways in which the gate runs everything: both, unless one is named.
func (o *exploreFlags) gateModes(named bool) ([]string, error) {
	if named {
		return []string{o.mode.Value}, canRun(o.mode.Value)
	}
	return []string{matrix.Simulate, matrix.Kill}, canRun(matrix.Kill)
}

// notKilled says what the gate leaves out of its modes.
func notKilled(cases []gateCase, modes []string) []string {
	var out, memory []string
	if len(modes) == 1 {
		out = append(out, "every run but --mode "+modes[0])
	}
	if !slices.Contains(modes, matrix.Kill) {
		return out
	}
	for _, g := range cases {
		if g.scenario.Program == nil {
			memory = append(memory, g.scenario.Name)
		}
	}
	if len(memory) > 0 {
		out = append(out, "real kills of what lives in memory only: "+strings.Join(memory, ", "))
	}
	return out
}

// gateSearches lists every case in every mode: all plans in a simulation, every single kill for real. Where no
// other faults are named, a simulation has those that the scenario is about.
func (o *exploreFlags) gateSearches(cases []gateCase, modes []string, named bool) ([]search, error) {
	var list []search
	for _, mode := range modes {
		for _, g := range cases {
			crashes, faults := o.crashes, o.faults
			if mode == matrix.Kill {
				crashes = min(crashes, 1)
				if g.scenario.Program == nil {
					continue
				}
			} else if !named {
				faults = g.scenario.Faults
			}
			x, err := o.searcher(faults)
			if err != nil {
				return nil, err
			}
			for _, s := range g.settings {
				list = append(list, search{x, g.scenario, s, mode, crashes})
			}
		}
	}
	return list, nil
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
