package explorer

import (
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/faults"
)

// ErrNotDeterministic is returned when two runs of one life from one state differ.
var ErrNotDeterministic = errors.New("two runs of one plan differ")

// ErrUndisturbedEndless is ErrUndisturbedHangs of a world that ends such a life without looking at the time.
var ErrUndisturbedEndless = errors.New("the undisturbed run did not end")

// ErrUndisturbedHangs is returned when a program comes to no end although nothing is injected: there is
// nothing to compare its recoveries with, and a longer time-out may be all that is missing.
var ErrUndisturbedHangs = errors.New("the undisturbed run did not end within the time-out")

// UnreachedError is returned when a planned event never struck: the program did not pass its point.
type UnreachedError struct {
	Plan  faults.Plan
	Event faults.Event
	Life  int
}

func (e *UnreachedError) Error() string {
	return fmt.Sprintf("%q did not strike in life %d: the point was never reached", e.Event, e.Life)
}
