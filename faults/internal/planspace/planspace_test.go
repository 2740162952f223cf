package planspace_test

import (
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/planspace"
)

func points(t *testing.T, texts ...string) (points []faults.Point) {
	t.Helper()
	for _, text := range texts {
		p, err := faults.ParsePoint(text)
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, p)
	}
	return points
}

func TestSpace_Plan(t *testing.T) {
	call := points(t, "a.b/before#1", "a.b/after#1")
	kills := planspace.New(call, planspace.Options{})
	mixed := planspace.New(call, planspace.Options{
		Verbs:     []faults.Verb{faults.Kill, faults.LoseResponse, faults.Pause, faults.Advance, faults.World},
		Durations: []time.Duration{time.Second, time.Minute},
	})
	for _, c := range []struct {
		name    string
		space   planspace.Space
		indices []int
		want    string
	}{
		{"nothing", kills, nil, "run"},
		{"no choices", planspace.New(nil, planspace.Options{}), []int{3}, "run"},
		{"one kill", kills, []int{1}, "kill a.b/after#1"},
		{"two kills", kills, []int{0, 1}, "kill a.b/before#1; kill a.b/after#1"},
		{"counted round", kills, []int{5}, "kill a.b/after#1"},
		{"below nothing", kills, []int{-1}, "kill a.b/after#1"},
		{"a fault, then a kill", mixed, []int{2, 0}, "lose-response a.b/during#1, kill a.b/before#1"},
		{"a fault, an end, a kill", mixed, []int{9, 0}, "lose-response a.b/during#1; kill a.b/before#1"},
		{"a fault twice", mixed, []int{2, 2}, "lose-response a.b/during#1"},
		{"pauses and a wait", mixed, []int{3, 6, 7}, "pause 1s a.b/before#1, pause 1m a.b/after#1, advance 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := c.space.Plan(c.indices)
			if plan.String() != c.want {
				t.Errorf("got %s, want %s", plan, c.want)
			}
			again, ok := c.space.Indices(plan)
			if !ok || c.space.Plan(again).String() != c.want {
				t.Errorf("indices %v of %s, %v", again, plan, ok)
			}
			if parsed, err := faults.Parse(plan.String()); err != nil || parsed.String() != c.want {
				t.Errorf("parses to %s, %v", parsed, err)
			}
		})
	}
	if n := mixed.Len(); n != 2+2*(1+4+2) {
		t.Errorf("%d choices", n)
	}
	if _, ok := kills.Indices(faults.Plan{{faults.Event{Verb: faults.World, Name: "x"}}}); ok {
		t.Error("indices of a plan that the space doesn't hold")
	}
}
