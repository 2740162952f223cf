package resolver

import "context"

// Loop turns a ticket into a proposal, one model call a step.
type Loop interface {
	// Run goes on from the state's messages until the loop ends, and leaves the proposal, the stop
	// reason and the next status in the state. After each step, before the next call, it calls onStep,
	// which saves. A resumed loop asks nothing twice.
	//
	// Errors: only what onStep returns, or a cancelled ctx; everything the model or a tool does wrong
	// becomes a stop reason or a result that the model sees.
	Run(ctx context.Context, t Ticket, s *TaskState, onStep func(context.Context, *TaskState) error) error
}
