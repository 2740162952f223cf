package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// stuckWorld is a world in memory whose second lives don't come back.
type stuckWorld struct {
	explorer.World
	first explorer.State
}

func (w *stuckWorld) Start(ctx context.Context) (explorer.State, error) {
	var err error
	w.first, err = w.World.Start(ctx)
	return w.first, err
}

func (w *stuckWorld) Run(ctx context.Context, from explorer.State, life faults.Life) (explorer.Incarnation, error) {
	if from != w.first {
		select {}
	}
	return w.World.Run(ctx, from, life)
}

// TestStuckLife: a life in memory that never comes back ends the command as one that could not do its work. It
// names the plan and what can be done.
func TestStuckLife(t *testing.T) {
	sc := scenarios.RefundScenario()
	simulate := sc.Simulate
	sc.Simulate = func(s scenarios.Setting) (explorer.World, error) {
		w, err := simulate(s)
		return &stuckWorld{World: w}, err
	}
	o := &exploreFlags{running: running{timeout: 200 * time.Millisecond, workers: 2}}
	x, err := o.searcher(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = search{x, sc, sc.Setting, matrix.Simulate, 1}.explore(t.Context(), (&program{errOut: io.Discard}).progress("explore", true))
	want := `^plan "kill [a-z.]+/[a-z]+#1; run": life 2 has not come back within 200ms, and a life in memory can't be ended ` +
		`from outside; --mode kill ends it and judges it, --timeout gives it more time$`
	if err == nil || exitCode(err) != exitHarness {
		t.Fatal(err)
	}
	if wrong := oneLine(err.Error()+"\n", want); wrong != "" {
		t.Error(wrong)
	}
}

// TestStuckHints: what is said to a life that did not come back is what can be done about it.
func TestStuckHints(t *testing.T) {
	process, memory := scenarios.RefundScenario(), scenarios.Scenario{}
	held, gone := &explorer.StuckError{Plan: faults.Plan{nil}}, &explorer.GoneError{Plan: faults.Plan{nil}}
	for _, c := range []struct {
		err  error
		sc   scenarios.Scenario
		want string
	}{
		{held, process, "; --mode kill ends it and judges it, --timeout gives it more time"},
		{held, memory, "; --timeout gives it more time"},
		{gone, process, "; --mode kill judges it"},
		{gone, memory, ""},
		{io.EOF, process, ""},
	} {
		got := stuck(c.err, c.sc)
		if !errors.Is(got, c.err) || got.Error() != c.err.Error()+c.want || exitCode(got) != exitHarness {
			t.Errorf("%v", got)
		}
	}
}
