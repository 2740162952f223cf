package explorer

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
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

// GoneError is returned when a life in memory neither came back nor panicked: it ended the goroutine that it ran on.
type GoneError struct {
	// Plan is the plan so far, its last life the one that is gone.
	Plan faults.Plan
}

func (e *GoneError) Error() string {
	return fmt.Sprintf("plan %q: life %d ended its goroutine (runtime.Goexit)", e.Plan, len(e.Plan))
}

// PanicError is returned when the harness itself panicked: nothing that it was about to say holds. A panic of the
// program is an error that its life ends with.
type PanicError struct {
	// Plan is what was run, nil where no plan was.
	Plan  faults.Plan
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	text := fmt.Sprintf("internal error, please report it: %v\n%s", e.Value, e.Stack)
	if e.Plan == nil {
		return text
	}
	return fmt.Sprintf("plan %q: %s", e.Plan, text)
}

// caught makes an error of a panic. It is to be deferred.
func caught(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// ofPlan says which plan was run where an error says none.
func ofPlan(err error, plan faults.Plan) error {
	var p *PanicError
	if errors.As(err, &p) && p.Plan == nil {
		p.Plan = append(faults.Plan{}, plan...)
	}
	return err
}

// UnreachedError is returned when a planned event never struck: the program did not pass its point, or came to its
// end in fewer lives than the plan has.
type UnreachedError struct {
	Plan faults.Plan
	// Event is a run where the lives that were left over have no other.
	Event faults.Event
	Life  int
	// Lives is how many lives there were, where the plan has more; 0 elsewhere.
	Lives int
	// Passed are the points that the life passed, where they are known: what was mistyped is found among them.
	Passed []faults.Point
}

func (e *UnreachedError) Error() string {
	if e.Lives > 0 {
		were := fmt.Sprintf("there were %d", e.Lives)
		if e.Lives == 1 {
			were = "there was 1"
		}
		if e.Event.Verb == faults.Run {
			return fmt.Sprintf("the plan has %d lives, and %s", len(e.Plan), were)
		}
		return fmt.Sprintf("%q did not strike in life %d: %s", e.Event, e.Life, were)
	}
	return fmt.Sprintf("%q did not strike in life %d: the point was never reached%s", e.Event, e.Life, e.meant())
}

// meant returns what the life passed instead: the last passage of the same point, the operation's other positions, or
// a point of the nearest name, the same passage or else the last one.
func (e *UnreachedError) meant() string {
	want := e.Event.Point
	last := map[string]int{} // passages, by the name of the point
	var sites, positions []string
	for _, p := range e.Passed {
		if p == want || !e.Event.Verb.AtPoint() {
			return ""
		}
		switch _, known := last[p.Name()]; {
		case known:
		case p.Site == want.Site:
			positions = append(positions, p.Position.String())
		case p.Position == want.Position:
			sites = append(sites, p.Site.String())
		}
		last[p.Name()] = max(last[p.Name()], p.N)
	}
	near := faults.Nearest(want.Site.String(), sites)
	switch n := last[want.Name()]; {
	case n > 0:
		return fmt.Sprintf(" (the life passed %s#%d, and no later one)", want.Name(), n)
	case len(positions) > 0:
		return fmt.Sprintf(" (the life passed %s at %s)", want.Site, strings.Join(positions, ", "))
	case near != "":
		name := near + "/" + want.Position.String()
		return fmt.Sprintf(" (did you mean %s#%d?)", name, min(last[name], want.N))
	}
	return ""
}
