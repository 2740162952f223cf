package resolver

import (
	"errors"
	"fmt"
	"time"
)

// State and proposals.
var (
	// ErrIllegalMove is returned when a status would move where the table has no move.
	ErrIllegalMove = errors.New("not a legal move")
	// ErrBadState is returned when a saved state lacks a field or has a malformed one.
	ErrBadState = errors.New("saved state can't be used")
	// ErrIdenticalActions is returned when two actions of a proposal would share one operation id.
	ErrIdenticalActions = errors.New("one operation id would stand for both; ask for one action with the whole quantity")
)

// Approval and execution.
var (
	// ErrNotWaiting is returned when a run that does not wait for approval is approved or rejected.
	ErrNotWaiting = errors.New("the run does not wait for approval")
	// ErrRoleTooLow is returned when a role may not approve a proposal.
	ErrRoleTooLow = errors.New("approval refused")
	// ErrNotApproved is returned when a run is executed without an approval of exactly its proposal.
	ErrNotApproved = errors.New("no approval matches this proposal")
	// ErrForeignOrder is returned when an action names an order that is not the ticket's customer's.
	ErrForeignOrder = errors.New("the order is not this customer's")
	// ErrEnded is returned by a strategy that gives up the process when no answer comes.
	ErrEnded = errors.New("no answer: the process ends and is started again")
)

// The checkpoint store.
var (
	// ErrUnknownRun is returned when no run has the id.
	ErrUnknownRun = errors.New("unknown run")
	// ErrRunExists is returned when a run would replace a saved one.
	ErrRunExists = errors.New("the run exists already")
	// ErrStale is returned when a save is not based on the version in the store.
	ErrStale = errors.New("the run was saved by another process meanwhile")
	// ErrLeaseLost is returned when a save or a write is tried under a lease that another holder has now.
	ErrLeaseLost = errors.New("the lease went to another process")
)

// LeaseHeldError is returned when a live process holds the lease of a run.
type LeaseHeldError struct {
	RunID  string
	Holder Holder
	Until  time.Time
}

func (e *LeaseHeldError) Error() string {
	return fmt.Sprintf("run %s is held by %s until %s", e.RunID, e.Holder, e.Until.Format(time.RFC3339))
}

// What a service may answer to a write or a look-up beside a result.
var (
	// ErrTimeout is returned when no answer came: the change may have happened or not.
	ErrTimeout = errors.New("timeout")
	// ErrUnavailable is returned when a service says that it can't work now (503).
	ErrUnavailable = errors.New("unavailable")
	// ErrInFlight is returned when the same key is being worked on at this moment (409).
	ErrInFlight = errors.New("in flight")
)

// RefusedError is a service's definite no: nothing changed, and asking again can't help.
type RefusedError struct {
	Code    string
	Message string
}

func (e *RefusedError) Error() string { return e.Message }

// FaultError is returned when a practice service misbehaves on purpose; Fault is its TOOL:MODE, which
// the state lists among the faults seen. It wraps what a real service would have returned.
type FaultError struct {
	Fault string
	Err   error
}

func (e *FaultError) Error() string { return e.Err.Error() }

// Unwrap returns the error that the fault stands for.
func (e *FaultError) Unwrap() error { return e.Err }
