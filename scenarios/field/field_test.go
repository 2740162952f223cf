package field_test

import (
	"context"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/field"
)

func TestProbe(t *testing.T) {
	for _, s := range field.Scenarios() {
		r := explore(t, s, 2, true)
		for _, c := range r.Found {
			t.Logf("%-14s %-18s %d %s   (%s)", s.Name, c.Invariant, c.Plan.Faults(), c.Plan, c.Detail)
		}
		t.Logf("%s runs %d states %d complete %v closed %v person %d", s.Name, r.Runs, r.States, r.Complete, r.Closed, r.HandedToPerson)
	}
}

func explore(t *testing.T, s scenarios.Scenario, depth int, all bool) explorer.Result {
	t.Helper()
	w, err := s.Simulate(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	set, err := s.Settings(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	o := explorer.Options{Crashes: depth, Settings: set}
	if all {
		o.Faults = faultsOf(t, s)
	}
	r, err := explorer.Explore(context.Background(), w, o)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return r
}

func faultsOf(t *testing.T, s scenarios.Scenario) []faults.Event {
	t.Helper()
	var out []faults.Event
	for _, text := range s.Faults {
		if p, err := faults.Parse(text); err == nil {
			out = append(out, p[0][0])
			continue
		}
		p, err := faults.Parse(text + " seam.operation/during#1")
		if err != nil {
			t.Fatal(err)
		}
		e := p[0][0]
		e.Point = faults.Point{}
		out = append(out, e)
	}
	return out
}
