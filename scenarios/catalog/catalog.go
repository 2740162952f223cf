// Package catalog is the one list of all scenarios, in the order in which they are shown.
//
// It imports scenarios and its sub-packages.
package catalog

import (
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/batch"
	"github.com/paytwice/paytwice/scenarios/field"
	"github.com/paytwice/paytwice/scenarios/graphnode"
	"github.com/paytwice/paytwice/scenarios/planted"
	"github.com/paytwice/paytwice/scenarios/transfer"
)

// families are the lists that make up the catalog.
var families = []func() []scenarios.Scenario{
	func() []scenarios.Scenario { return []scenarios.Scenario{scenarios.RefundScenario()} },
	batch.Scenarios, graphnode.Scenarios, transfer.Scenarios, field.Scenarios, planted.Scenarios,
}

// All returns every scenario.
func All() []scenarios.Scenario {
	var all []scenarios.Scenario
	for _, family := range families {
		all = append(all, family()...)
	}
	return all
}

// task returns the main of a child. It makes no more of the catalog than it has to: a child is started to run
// one of them for a few milliseconds.
func task(name string) (scenarios.Task, bool) {
	for _, family := range families {
		for _, s := range family() {
			if run, ok := s.Tasks[name]; ok {
				return run, true
			}
		}
	}
	return nil, false
}

// Names returns the names of All, in its order.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// ByName returns the scenario of a name.
//
// Errors: *scenarios.UnknownError.
func ByName(name string) (scenarios.Scenario, error) {
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
	}
	return scenarios.Scenario{}, &scenarios.UnknownError{Kind: "scenario", Name: name, Nearest: faults.Nearest(name, Names()), Known: Names()}
}
