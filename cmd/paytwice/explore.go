package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

type exploreFlags struct {
	selection
	running
	searching
	splitting
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
	o.splitting.add(c.Flags())
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
	if err := canRun(o.mode.Value); err != nil {
		return err
	}
	x, err := o.searcher(o.faults)
	if err != nil {
		return err
	}
	list := searches{shard: o.shard.Shard}
	for _, s := range settings {
		list.list = append(list.list, search{x, sc, s, o.mode.Value, o.crashes})
	}
	here := o.here(c, []string{name})
	if list.had, err = had(&o.splitting, here, parts.FinishedRuns); err != nil {
		return err
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	d, leftOut, err := p.search(c.Context(), o, list, here)
	if err != nil {
		return err
	}
	if err := deliver(p, to, exploreForms, o.format.Value, d); err != nil {
		return err
	}
	return leftOpen(worst(d.Runs), to.goesOn(leftOut))
}

// search makes the searches of a list and returns them as a document, with what an interruption left out.
func (p *program) search(ctx context.Context, o *exploreFlags, list searches, here parts.Here) (history.Explorations, string, error) {
	progress := p.progress(here.Run.Command, o.quiet)
	defer progress.end()
	m, err := list.run(ctx, progress)
	d := history.Explorations{Schema: history.ExplorationsSchema, Runs: m.runs, Shard: o.shard.String(),
		Part: o.part(here, len(list.list), m.cases, m.leftOut != "")}
	if m.leftOut != "" && (len(list.list) > 1 || len(m.runs) == 0) { // One search says by itself what it leaves out.
		d.LeftOut = []string{m.leftOut}
	}
	if err == nil && len(m.cases) == 0 && m.leftOut == "" {
		p.idle(&o.splitting, len(m.cases), "searches")
	}
	return d, m.leftOut, err
}

// searcher runs searches with the same bounds. Its budget begins with its first search.
type searcher struct {
	o      *exploreFlags
	faults []faults.Event
	end    func() time.Time
}

func (o *exploreFlags) searcher(list []string) (*searcher, error) {
	events, err := faultEvents(list)
	return &searcher{o, events, sync.OnceValue(func() time.Time { return time.Now().Add(o.budget) })}, err
}

// over reports that the budget is used up.
func (x *searcher) over() func() bool {
	if x.o.budget <= 0 {
		return nil
	}
	end := x.end()
	return func() bool { return time.Now().After(end) }
}

// badFault names the flag in the error of a change that a scenario doesn't know: only a life finds out. The plan
// it was in is none that anybody asked for.
func badFault(err error, sc scenarios.Scenario) error {
	var unknown *scenarios.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	return fmt.Errorf("--faults: %s: %w", sc.Name, unknown)
}

// explore runs one search and returns it as a document. The graph is dropped with it.
func (s search) explore(ctx context.Context, progress *progress) (history.Exploration, error) {
	x, sc, mode := s.searcher, s.scenario, s.mode
	settings, err := sc.Settings(s.setting)
	if err != nil {
		return history.Exploration{}, err
	}
	w, closer, err := matrix.World(ctx, sc, s.setting, mode, scenarios.KillOptions{Timeout: x.o.timeout})
	if err != nil {
		return history.Exploration{}, err
	}
	defer closer.Close()
	r, err := explorer.Explore(ctx, w, explorer.Options{Crashes: s.crashes, Faults: x.faults, Settings: settings, MaxRuns: x.o.maxRuns, MaxStates: x.o.maxStates,
		Workers: x.o.workers, Timeout: matrix.Watched(mode, x.o.timeout), Once: mode == matrix.Kill, Over: x.over(), Budget: x.o.budget,
		Progress: func(p explorer.Progress) { progress.at(p.Runs, 0) }})
	if err != nil {
		return history.Exploration{}, stuck(badFault(err, sc), sc)
	}
	e := history.Exploration{Schema: history.ExploreSchema, Scenario: sc.Name, Ticket: s.setting.Ticket, Strategy: s.setting.Strategy, Provider: s.setting.Provider,
		Recording: s.setting.Recording(), Mode: mode, Crashes: s.crashes, Faults: faultTexts(x.faults), Seed: x.o.seed, Points: len(r.Points), PlansCovered: r.PlansCovered, PlansDistinct: r.PlansDistinct, Incarnations: r.Runs,
		States: r.States, Closed: r.Closed, HandedToPerson: r.HandedToPerson, ModelCalls: r.ModelCalls, ModelCallsMost: r.ModelCallsMost, Complete: r.Complete, LeftOut: r.LeftOut, Unreached: r.Unreached, Violations: []history.Counterexample{}}
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
			Detail: f.Detail, Replay: scenarios.ReplayCommand(s.setting, mode, f.Plan)})
	}
	for _, c := range r.Classes {
		e.Classes = append(e.Classes, history.PointClass{Invariant: c.Invariant, Point: c.Point, Plan: c.Plan.String()})
	}
	return e, nil
}
