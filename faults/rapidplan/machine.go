package rapidplan

import (
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/lives"
)

// Machine is a state machine test of a program that crashes. Before each attempt at a step or a start it
// draws after how many points the life ends, 0 for not at all.
type Machine struct {
	// Start begins a life of the program, whose seams ask the injector; its recovery is part of it, and
	// may crash too. It keeps what lasts and forgets what a process forgets.
	Start func(in *faults.Injector) error
	// Actions draw their inputs and return the step to run. After a crash the program is started again and
	// the step run again, until it ends; its error fails the test. What the test itself remembers of it is
	// best changed where the step ends.
	Actions map[string]func(t *rapid.T) (step func() error)
	// Check, if set, is run before and after every step. No crash strikes in it.
	Check func(t *rapid.T)
	// Ended, if set, is told of the plan that the crashes of a run come to, also when the run failed.
	Ended func(faults.Plan)
	// MaxKills bounds the crashes of one run, 3 when 0.
	MaxKills int
	// MaxPoints bounds the number of the point, counted within a step, at which a life may end; 8 when 0.
	MaxPoints int
}

// Run runs the machine, and logs the plan that its crashes come to.
func (m Machine) Run(t *rapid.T) {
	t.Helper()
	kills := orDefault(m.MaxKills, 3)
	fuse := func() int {
		if kills == 0 {
			return 0
		}
		n := rapid.IntRange(0, orDefault(m.MaxPoints, 8)).Draw(t, "killed after points")
		if n > 0 {
			kills--
		}
		return n
	}
	program := lives.New(m.Start, fuse, faults.Options{})
	defer func() {
		t.Logf("plan: %s", program.Plan())
		if m.Ended != nil {
			m.Ended(program.Plan())
		}
	}()
	if err := program.Run(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	actions := map[string]func(*rapid.T){}
	if m.Check != nil {
		actions[""] = m.Check
	}
	for name, action := range m.Actions {
		actions[name] = func(t *rapid.T) {
			if err := program.Run(action(t)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	t.Repeat(actions)
}
