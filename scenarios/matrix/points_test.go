package matrix_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// pointsOf returns the points that the undisturbed run of a setting passes.
func pointsOf(t *testing.T, s scenarios.Setting) []string {
	t.Helper()
	sc := scenarios.RefundScenario()
	settings, err := sc.Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sc.Simulate(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explorer.Replay(context.Background(), w, nil, explorer.Options{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range r.History.Lives[0].Events {
		names = append(names, e.Point())
	}
	return names
}

// TestRun_EveryPointLands gives every point of the undisturbed run to the matrix: a kill at each lands, in
// both modes, with the same cells, and what naive-retry doubles operation-id does not.
func TestRun_EveryPointLands(t *testing.T) {
	forTheGate(t)
	points := map[string][]string{}
	settings := []scenarios.Setting{{Strategy: "operation-id"}, {Strategy: "naive-retry"}}
	for _, s := range settings {
		points[s.Strategy] = pointsOf(t, s)
	}
	if n := len(points["operation-id"]); n != 52 {
		t.Errorf("the undisturbed run with operation-id passes %d points, 52 are known", n)
	}
	var first []history.Cell
	for _, mode := range modes() {
		byName := fill(t, matrix.Request{Settings: settings, Points: points["operation-id"], Mode: mode, Workers: 2})
		var want, got []string
		for _, s := range settings {
			for _, p := range points[s.Strategy] {
				want = append(want, s.Strategy+" kill "+p)
			}
		}
		doubled := 0
		for _, c := range byName.Matrix.Cells {
			got = append(got, c.Strategy+" "+c.Plan)
			if !c.Landed || c.Incarnations != 2 {
				t.Errorf("%s: %s with %s: landed %t, %d lives", mode, c.Plan, c.Strategy, c.Landed, c.Incarnations)
			}
			if c.Effects != 1 && c.Strategy == "operation-id" {
				t.Errorf("%s: %s with operation-id: %d refunds", mode, c.Plan, c.Effects)
			}
			if c.Effects == 2 {
				doubled++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: plans (-points +cells):\n%s", mode, diff)
		}
		if doubled == 0 {
			t.Errorf("%s: no point at which naive-retry doubles", mode)
		}
		if first == nil {
			first = alike(byName.Matrix.Cells)
		} else if diff := cmp.Diff(first, alike(byName.Matrix.Cells)); diff != "" {
			t.Errorf("cells (-simulated +killed):\n%s", diff)
		}
	}
}

// TestRun_AllIsEveryPoint: "all" stands for the names one by one.
func TestRun_AllIsEveryPoint(t *testing.T) {
	r := matrix.Request{Settings: []scenarios.Setting{{}, {Strategy: "naive-retry"}}, Points: pointsOf(t, scenarios.Setting{}), Mode: matrix.Simulate, Workers: 2}
	named := fill(t, r).Matrix.Cells
	r.Points = []string{matrix.All}
	all := fill(t, r).Matrix.Cells
	for i := range all {
		all[i].Point = strings.TrimPrefix(all[i].Plan, "kill ")
	}
	if diff := cmp.Diff(named, all); diff != "" {
		t.Errorf("(-by name +all):\n%s", diff)
	}
}

func TestCheckPoint(t *testing.T) {
	for name, c := range map[string]struct {
		nearest string
		kind    string
	}{
		"aftr-write":                       {"after-write", "point"},
		"payment.request_refnd/after#1":    {"payment.request_refund", "operation"},
		"checkpoint.save/during#1":         {"", ""},
		"payment.request_refund/midway#1":  {"", ""},
		"payment.request_refund/after#0":   {"", ""},
		"kill payment.request_refund/af#1": {"", ""},
	} {
		err := matrix.CheckPoint(name)
		if err == nil {
			t.Errorf("CheckPoint(%q) has nothing against it", name)
			continue
		}
		var unknown *scenarios.UnknownError
		if errors.As(err, &unknown) != (c.kind != "") || c.kind != "" && (unknown.Kind != c.kind || unknown.Nearest != c.nearest) {
			t.Errorf("CheckPoint(%q) = %v, want an unknown %q near %q", name, err, c.kind, c.nearest)
		}
	}
	for _, name := range append(matrix.LessonPoints(), matrix.All, "payment.operation/during-lost#3") {
		if err := matrix.CheckPoint(name); err != nil {
			t.Errorf("CheckPoint(%q) = %v", name, err)
		}
	}
}

// TestRun_Unfilled: a point that nobody passes is said, and so is a strategy that does not pass one.
func TestRun_Unfilled(t *testing.T) {
	result := fill(t, matrix.Request{Mode: matrix.Simulate, Settings: []scenarios.Setting{{Strategy: "operation-id"}, {Strategy: "mark-first"}},
		Points: []string{"payment.read_back/after#1", "payment.operation/after#1", matrix.AfterWrite}})
	if diff := cmp.Diff([]string{"payment.operation/after#1"}, result.Unfilled); diff != "" {
		t.Error(diff)
	}
	if got := len(result.Matrix.Cells); got != 3 {
		t.Errorf("%d cells, want 3", got)
	}
	want := []string{
		"no cell: T-90104 with operation-id on larkfield does not pass payment.operation/after#1",
		"no cell: T-90104 with mark-first on larkfield does not pass payment.read_back/after#1",
		"no cell: T-90104 with mark-first on larkfield does not pass payment.operation/after#1",
	}
	if diff := cmp.Diff(want, result.Matrix.Notes); diff != "" {
		t.Error(diff)
	}
}

// TestRun_NotLanded: a kill that the process does not die of is an error, never a cell.
func TestRun_NotLanded(t *testing.T) {
	sc := scenarios.RefundScenario()
	settings, err := sc.Settings(sc.Setting)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range modes() {
		w, closer, err := matrix.World(context.Background(), sc, sc.Setting, mode, scenarios.KillOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer closer.Close()
		plan, err := faults.Parse("kill payment.request_refund/after#2")
		if err != nil {
			t.Fatal(err)
		}
		_, err = explorer.Replay(context.Background(), w, plan, explorer.Options{Settings: settings, Once: true})
		var unreached *explorer.UnreachedError
		if !errors.As(err, &unreached) || fmt.Sprint(unreached.Event) != "kill payment.request_refund/after#2" {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

func TestPlanOf(t *testing.T) {
	for name, want := range map[string]string{
		matrix.BeforeWrite:          "kill payment.request_refund/before#1",
		matrix.DuringCall:           "kill payment.request_refund/during#1",
		matrix.Timeout:              "lose-response payment.request_refund/during#1",
		matrix.AfterWrite:           "kill payment.request_refund/after#1",
		matrix.MidLoop:              "kill agent.step/after#1",
		"payment.read_back/after#1": "kill payment.read_back/after#1",
	} {
		plan, err := matrix.PlanOf(context.Background(), scenarios.Setting{}.WithDefaults(), name)
		if err != nil || plan.String() != want {
			t.Errorf("PlanOf(%q) = %q, %v, want %q", name, plan, err, want)
		}
	}
	plan, err := matrix.PlanOf(context.Background(), scenarios.Setting{}.WithDefaults(), "payment.operation/after#1")
	if plan != nil || err != nil {
		t.Errorf("a point that is not passed has plan %q, %v", plan, err)
	}
}
