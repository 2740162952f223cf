package rapidplan

import (
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/lives"
)

// Machine is a state machine test of a program that crashes. With each step it draws after how many points lives
// end: the first number counts from the start of the step, each further one from the start of the life after a
// crash.
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
	// MaxPoints bounds the number of the point, counted as above, at which a life may end; 8 when 0.
	MaxPoints int
}

// Run runs the machine, and logs the plan that its crashes come to.
func (m Machine) Run(t *rapid.T) {
	t.Helper()
	kills := orDefault(m.MaxKills, 3)
	var fuses []int
	program := lives.New(m.Start, func() (n int) {
		if len(fuses) > 0 {
			n, fuses, kills = fuses[0], fuses[1:], kills-1
		}
		return n
	}, faults.Options{})
	run := func(t *rapid.T, step func() error) error {
		fuses = rapid.SliceOfN(rapid.IntRange(1, orDefault(m.MaxPoints, 8)), 0, kills).Draw(t, "killed after points")
		err := program.Run(step)
		fuses = nil
		return err
	}
	defer func() {
		t.Logf("plan: %s", program.Plan())
		if m.Ended != nil {
			m.Ended(program.Plan())
		}
	}()
	if err := run(t, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	actions := map[string]func(*rapid.T){}
	if m.Check != nil {
		actions[""] = m.Check
	}
	for name, action := range m.Actions {
		actions[name] = func(t *rapid.T) {
			if err := run(t, action(t)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	t.Repeat(actions)
}
