// Package lives runs the steps of a program that is killed and started again, for the state machines of
// property-based tests. It imports only faults.
package lives

import (
	"fmt"

	"github.com/paytwice/paytwice/faults"
)

// Start begins a life of the program, whose seams ask the injector; its recovery is part of it.
type Start func(in *faults.Injector) error

// Lives is one program over its lives. A fuse decides where a life ends: the n-th point passed, whatever point
// that is, counted from the start of a step or, after a crash in it, from the start of the life; 0 for never.
type Lives struct {
	start Start
	fuse  func() int
	opts  faults.Options

	in    *faults.Injector
	left  int
	ended faults.Plan
}

// New returns a program that was not started yet. The fuse is asked before each step, and again after
// each crash. Options may name a Pass; their Crash stays that of a simulation.
func New(start Start, fuse func() int, opts faults.Options) *Lives {
	return &Lives{start: start, fuse: fuse, opts: opts}
}

// Run runs a step until it ends: after a crash the program is started again and the step run again. The
// first step starts the program too.
//
// Errors: the step's own, or those of a start. It ends once the fuses do: a fuse that always burns down
// before the step is done runs for ever, so callers bound them.
func (l *Lives) Run(step func() error) error {
	for {
		l.left = l.fuse()
		crashed, err := l.attempt(step)
		l.left = 0
		if !crashed {
			return err
		}
		l.ended = append(l.ended, l.in.Life())
		l.in = nil
	}
}

func (l *Lives) begin() {
	opts := l.opts
	pass := opts.Pass
	opts.Crash = nil
	var in *faults.Injector
	opts.Pass = func(p faults.Point) {
		if pass != nil {
			pass(p)
		}
		if l.left > 0 {
			if l.left--; l.left == 0 {
				in.Add(faults.KillAt(p))
			}
		}
	}
	in = faults.NewInjector(nil, opts)
	l.in = in
}

// attempt starts the program where it doesn't run and makes a step.
func (l *Lives) attempt(step func() error) (crashed bool, err error) {
	starting := l.in == nil
	if starting {
		l.begin()
	}
	_, crashed, err = l.in.Catch(func() error {
		if starting {
			if err := l.start(l.in); err != nil {
				return fmt.Errorf("start: %w", err)
			}
		}
		return step()
	})
	return crashed, err
}

// Plan returns the plan that was injected so far: a line that says where each life ended.
func (l *Lives) Plan() faults.Plan { return append(faults.Plan{}, l.ended...) }
