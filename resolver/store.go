package resolver

import (
	"context"
	"fmt"
	"time"
)

// Store keeps runs beyond the life of a process. Saves are compare-and-set on the state's version,
// under a lease with a fencing token, so a stalled process that lost its lease can save nothing.
//
// Errors: a store that can't be read or written returns an error that names its file and what to do.
// Concurrency: any number of processes may use one store.
type Store interface {
	// Create saves a new run and leaves Version 1 in it. ErrRunExists when the id is taken.
	Create(ctx context.Context, s *TaskState) error
	// Load returns a run. ErrUnknownRun, ErrBadState.
	Load(ctx context.Context, runID string) (*TaskState, error)
	// Save replaces a run and appends to the trail, in one transaction, and raises Version by one.
	// ErrStale, ErrLeaseLost; nothing is changed then.
	Save(ctx context.Context, s *TaskState, lease Lease, trail ...TrailEntry) error
	// List returns the runs in the order they were created.
	List(ctx context.Context) ([]RunSummary, error)
	// Trail returns the trail, oldest first, of one run or (empty id) of all.
	Trail(ctx context.Context, runID string) ([]TrailEntry, error)

	// Acquire takes the lease of a run for ttl. A dead or expired holder is taken over at once, with a
	// higher token; a live one returns *LeaseHeldError.
	Acquire(ctx context.Context, runID string, holder Holder, ttl time.Duration) (Lease, error)
	// Renew lengthens a lease that is still ours. ErrLeaseLost.
	Renew(ctx context.Context, lease Lease, ttl time.Duration) (Lease, error)
	// Release gives a lease back; one that is no longer ours is left alone.
	Release(ctx context.Context, lease Lease) error
}

// Holder names the process that holds a lease, closely enough to tell whether it still lives: a pid
// alone is used again by others.
type Holder struct {
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Started string `json:"started"`
}

func (h Holder) String() string { return fmt.Sprintf("process %d on %s", h.PID, h.Host) }

// Lease is a claim on one run until ExpiresAt. Token rises with every change of holder.
type Lease struct {
	RunID     string
	Holder    Holder
	Token     int64
	ExpiresAt time.Time
	// Stalled says of a lease just taken that the holder before ran out of time and may still be alive: what it was about
	// to send can still arrive. It is told to who takes the lease and kept nowhere: the one after that does not know.
	Stalled bool
}

// RunSummary is one line of the list of runs.
type RunSummary struct {
	RunID        string    `json:"run_id"`
	TicketID     string    `json:"ticket"`
	Variant      string    `json:"variant"`
	Model        string    `json:"model"`
	Status       Status    `json:"status"`
	UpdatedAt    time.Time `json:"updated_at"`
	ModelCalls   int       `json:"model_calls"`
	InputTokens  int       `json:"input_tokens"`
	OutputTokens int       `json:"output_tokens"`
}

// TrailEntry is one line of the append-only record of who approved and did what. The store numbers it,
// and chains each entry to the one before by a digest, so that a missing or changed one shows.
type TrailEntry struct {
	Seq         int64     `json:"seq"`
	RunID       string    `json:"run_id"`
	At          time.Time `json:"at"`
	Actor       string    `json:"actor"`
	What        string    `json:"what"`
	OperationID string    `json:"operation_id,omitempty"`
	Detail      string    `json:"detail,omitempty"`
	Chain       string    `json:"chain"`
}

// Clock is the time as the program sees it. Under test it moves only when somebody waits.
type Clock interface {
	Now() time.Time
	// Wait returns after d has passed on this clock, or when ctx is done.
	Wait(ctx context.Context, d time.Duration) error
}
