package explorer

import (
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/faults"
)

// ErrNotDeterministic is returned when two runs of one life from one state differ.
var ErrNotDeterministic = errors.New("two runs of one plan differ")

// UnreachedError is returned when a planned event never struck: the program did not pass its point.
type UnreachedError struct {
	Plan  faults.Plan
	Event faults.Event
	Life  int
}

func (e *UnreachedError) Error() string {
	return fmt.Sprintf("%q did not strike in life %d: the point was never reached", e.Event, e.Life)
}
