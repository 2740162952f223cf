package faults

import "errors"

// Errors of a call that a fault of the plan keeps back or leaves without its answer. All wrappers return
// the same, wrapped with the point.
var (
	// ErrNoAnswer is returned when the request or its answer was lost; a caller can't tell which. Its
	// Timeout method says true, as net/http and os look for.
	ErrNoAnswer error = noAnswer{}
	// ErrUnavailable is returned when the other side could not be reached: nothing was done.
	ErrUnavailable = errors.New("unavailable")
	// ErrRefused is returned when the other side said no: nothing was done.
	ErrRefused = errors.New("refused")
)

type noAnswer struct{}

func (noAnswer) Error() string { return "no answer" }

// Timeout makes it a time-out, as the net package defines one.
func (noAnswer) Timeout() bool { return true }
