package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

type exploreFlags struct {
	selection
	running
	searching
	writing
}

func (p *program) explore() *cobra.Command {
	o := &exploreFlags{}
	c := &cobra.Command{
		Use:   "explore [SCENARIO] [flags]",
		Short: "Decides every plan of up to N kills, and finds the smallest that breaks something",
		Example: "  paytwice explore refund --crashes 3\n  paytwice explore refund --strategy naive-retry\n" +
			"  paytwice explore refund --faults lose-response,'deliver-late 30s'\n  paytwice explore transfer --mode kill --crashes 1",
		Args: cli.Between("[SCENARIO]"),
		RunE: func(c *cobra.Command, args []string) error { return p.runExplore(c, o, scenarioArgument(args)) },
	}
	o.selection.add(c.Flags())
	o.running.add(c.Flags(), matrix.Simulate)
	o.searching.add(c.Flags())
	o.writing.add(c.Flags(), exploreForms.names()...)
	return c
}

func (p *program) runExplore(c *cobra.Command, o *exploreFlags, name string) (failed error) {
	sc, settings, err := o.selection.forScenario(name)
	if err != nil {
		return err
	}
	if err := o.running.validate(); err != nil {
		return err
	}
	if err := o.searching.validate(); err != nil {
		return err
	}
	// A scenario that is about other faults than kills is searched with them, unless something else is said.
	if !c.Flags().Changed("faults") {
		o.faults = sc.Faults
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	x, err := p.explorerOf(o)
	if err != nil {
		return err
	}
	defer x.progress.end()
	d := history.Explorations{Schema: history.ExplorationsSchema, Runs: []history.Exploration{}}
	for _, s := range settings {
		e, err := x.explore(c.Context(), sc, s, o.mode.Value, o.crashes)
		if err != nil {
			return err
		}
		d.Runs = append(d.Runs, e)
	}
	x.progress.end()
	if err := deliver(p, to, exploreForms, o.format.Value, d); err != nil {
		return err
	}
	return worst(d.Runs)
}

// searcher runs searches with the same bounds.
type searcher struct {
	o        *exploreFlags
	faults   []faults.Event
	progress *progress
	over     func() bool
}

func (p *program) explorerOf(o *exploreFlags) (*searcher, error) {
	events, err := faultEvents(o.faults)
	if err != nil {
		return nil, err
	}
	x := &searcher{o: o, faults: events, progress: p.progress("explore", o.quiet)}
	if o.budget > 0 {
		end := time.Now().Add(o.budget)
		x.over = func() bool { return time.Now().After(end) }
	}
	return x, nil
}

// explore runs one search and returns it as a document. The graph is dropped with it.
func (x *searcher) explore(ctx context.Context, sc scenarios.Scenario, s scenarios.Setting, mode string, crashes int) (history.Exploration, error) {
	settings, err := sc.Settings(s)
	if err != nil {
		return history.Exploration{}, err
	}
	w, closer, err := matrix.World(ctx, sc, s, mode, scenarios.KillOptions{Timeout: x.o.timeout})
	if err != nil {
		return history.Exploration{}, err
	}
	defer closer.Close()
	r, err := explorer.Explore(ctx, w, explorer.Options{Crashes: crashes, Faults: x.faults, Settings: settings, MaxRuns: x.o.maxRuns, MaxStates: x.o.maxStates,
		Workers: x.o.workers, Once: mode == matrix.Kill, Over: x.over, Budget: x.o.budget,
		Progress: func(p explorer.Progress) { x.progress.at(p.Runs, 0) }})
	if err != nil {
		return history.Exploration{}, err
	}
	e := history.Exploration{Schema: history.ExploreSchema, Scenario: sc.Name, Ticket: s.Ticket, Strategy: s.Strategy, Provider: s.Provider, Mode: mode,
		Crashes: crashes, Faults: faultTexts(x.faults), Seed: x.o.seed, Points: len(r.Points), PlansCovered: r.PlansCovered, PlansDistinct: r.PlansDistinct, Incarnations: r.Runs,
		States: r.States, Closed: r.Closed, HandedToPerson: r.HandedToPerson, Complete: r.Complete, LeftOut: r.LeftOut, Unreached: r.Unreached, Violations: []history.Counterexample{}}
	for _, f := range x.faults {
		if f.Verb == faults.Resumers && mode == matrix.Kill && e.Complete {
			// Real processes take turns as the system lets them: one order of many was seen.
			e.Complete, e.LeftOut = false, "every order in which resumers take turns but the one that happened"
		}
	}
	if e.Unreached == nil {
		e.Unreached = []string{}
	}
	for _, f := range r.Found {
		e.Violations = append(e.Violations, history.Counterexample{Invariant: f.Invariant, Plan: f.Plan.String(), Faults: f.Plan.Faults(), Effects: f.Effects,
			Detail: f.Detail, Replay: scenarios.ReplayCommand(s, mode, f.Plan)})
	}
	return e, nil
}
