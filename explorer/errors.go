package explorer

import (
	"errors"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/faults"
)

// ErrNotDeterministic is returned when two runs of one life from one state differ.
var ErrNotDeterministic = errors.New("two runs of one plan differ")

// ErrUndisturbedEndless is ErrUndisturbedHangs of a world that ends such a life without looking at the time.
var ErrUndisturbedEndless = errors.New("the undisturbed run did not end")

// ErrUndisturbedHangs is returned when a program comes to no end although nothing is injected: there is
// nothing to compare its recoveries with, and a longer time-out may be all that is missing.
var ErrUndisturbedHangs = errors.New("the undisturbed run did not end within the time-out")

// StuckError is returned when a life in memory took longer than Options.Timeout: it waits for what can't come,
// computes or sleeps for real. It goes on, and holds a goroutine until the process ends.
type StuckError struct {
	// Plan is the plan so far, its last life the one that is stuck.
	Plan  faults.Plan
	After time.Duration
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("plan %q: life %d has not come back within %s, and a life in memory can't be ended from outside",
		e.Plan, len(e.Plan), e.After)
}

// UnreachedError is returned when a planned event never struck: the program did not pass its point.
type UnreachedError struct {
	Plan  faults.Plan
	Event faults.Event
	Life  int
}

func (e *UnreachedError) Error() string {
	return fmt.Sprintf("%q did not strike in life %d: the point was never reached", e.Event, e.Life)
}
