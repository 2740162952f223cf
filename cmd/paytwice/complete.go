package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// complete has a shell complete the names that flags and arguments take.
func complete(root *cobra.Command) {
	names := map[string]func() []string{
		"ticket":   func() []string { return append(ticketNames(), all) },
		"strategy": func() []string { return append(strategy.Names(), all) },
		"provider": func() []string { return append(scenarios.ProviderNames(), all) },
		"profile":  scenarios.ProviderNames,
		"point":    pointNames,
		"scenario": catalog.Names,
		"faults":   func() []string { return append(slices.Clone(everyFault), all) },
	}
	for _, c := range root.Commands() {
		for flag, list := range names {
			if c.Flags().Lookup(flag) != nil {
				cli.CompleteFlag(c, flag, list)
			}
		}
		switch c.Name() {
		case "explore", "points":
			cli.CompleteArguments(c, 1, catalog.Names)
		case "check":
			cli.CompleteArguments(c, len(catalog.All()), catalog.Names)
		}
	}
}

func ticketNames() []string {
	var ids []string
	for _, t := range larkfield.Tasks() {
		ids = append(ids, t.ID)
	}
	return ids
}

// pointNames returns the lesson's names and the points of the refund's undisturbed run.
func pointNames() []string {
	names := append(matrix.LessonPoints(), all)
	sc := scenarios.RefundScenario()
	list, err := pointsOf(context.Background(), sc, sc.Setting)
	if err != nil {
		return names
	}
	for _, p := range list.Points {
		names = append(names, p.Name)
	}
	return names
}

// pointsOf runs a scenario undisturbed and returns the points that it passes.
func pointsOf(ctx context.Context, sc scenarios.Scenario, s scenarios.Setting) (history.PointList, error) {
	list := history.PointList{Points: []history.PointLine{}}
	w, closer, err := matrix.World(ctx, sc, s, matrix.Simulate, scenarios.KillOptions{})
	if err != nil {
		return list, err
	}
	defer closer.Close()
	judge, err := sc.Settings(s)
	if err != nil {
		return list, err
	}
	r, err := explorer.Replay(ctx, w, nil, explorer.Options{Settings: judge})
	if err != nil {
		return list, err
	}
	for _, life := range r.History.Lives {
		for _, e := range life.Events {
			list.Points = append(list.Points, history.PointLine{Name: e.Point(), Position: e.Position, Reached: true})
		}
	}
	return list, nil
}
