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

// All returns every scenario.
func All() []scenarios.Scenario {
	var all []scenarios.Scenario
	all = append(all, scenarios.RefundScenario())
	all = append(all, batch.Scenarios()...)
	all = append(all, graphnode.Scenarios()...)
	all = append(all, transfer.Scenarios()...)
	all = append(all, field.Scenarios()...)
	all = append(all, planted.Scenarios()...)
	return all
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
