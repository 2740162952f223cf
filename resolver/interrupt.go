package resolver

import "fmt"

// Interrupt is the lesson's simulated stop, gentler than a kill on purpose: it may say goodbye.
type Interrupt string

// The simulated stops of an execution.
const (
	// InterruptBeforeWrite stops before the attempt is counted, so the resumed run asks nothing.
	InterruptBeforeWrite Interrupt = "before-write"
	// InterruptAfterWrite stops with the change made and the operation still pending.
	InterruptAfterWrite Interrupt = "after-write"
)

// InterruptedError is returned when a simulated stop was asked for.
type InterruptedError struct {
	RunID string
	Where string
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("simulated crash %s", e.Where)
}
