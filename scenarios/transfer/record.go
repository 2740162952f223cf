package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

// CheckpointFile is where the program keeps its record and the lease on it.
const CheckpointFile = "transfers.sqlite"

// What is approved: 100 from A to B, because A holds more than 1000.
const (
	runID         = "transfer-1"
	operationID   = "transfer-1-a-b-10000"
	amountCents   = 100_00
	moreThanCents = 1000_00
)

func intent() history.Intent {
	return history.Intent{ID: operationID, Tool: "transfer", Subject: "A to B", AmountCents: amountCents, Payload: "A to B 100.00"}
}

// Status is where a transfer stands. Every move is saved.
type Status string

// The statuses; the last four are final.
const (
	Approved    Status = "approved"
	InFlight    Status = "in_flight"
	RollingBack Status = "rolling_back"
	// Committed: made, and checked.
	Committed Status = "committed"
	// RolledBack: made, found wrong, and taken back; Stopped: not made. A person was alerted.
	RolledBack Status = "rolled_back"
	Stopped    Status = "stopped"
	// LeftAsIs: made, found wrong, and not taken back: the state is left for the person who was alerted.
	LeftAsIs Status = "left_as_is"
)

// Record is the checkpoint of one transfer.
type Record struct {
	Status Status `json:"status"`
	// Attempts counts the calls that are on record as sent.
	Attempts int    `json:"attempts,omitempty"`
	RecordID string `json:"record_id,omitempty"`
	// Differs says how the rows differ from what was approved; Reason why a person has it.
	Differs string `json:"differs,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Unapproved: it ended before there was anything to approve.
	Unapproved bool `json:"unapproved,omitempty"`
}

func (r Record) final() bool {
	switch r.Status {
	case Committed, RolledBack, Stopped, LeftAsIs:
		return true
	}
	return false
}

func (r Record) end() history.End {
	if r.Status == Committed {
		return history.Done
	}
	return history.Person
}

// saved returns the record as the judge knows it.
func (r Record) saved() *history.Saved {
	s := &history.Saved{Run: runID, Status: "executing"}
	op := history.Operation{ID: operationID, Status: history.OperationPending, Attempts: r.Attempts, RecordID: r.RecordID,
		Error: r.Reason, Differs: r.Differs != ""}
	switch r.Status {
	case "":
		s.Status = "running"
		return s
	case Committed:
		s.Status, op.Status = check.StatusDone, history.OperationDone
	case RolledBack, Stopped:
		s.Status, op.Status = check.StatusPerson, history.OperationFailed
	case LeftAsIs:
		s.Status, op.Status = check.StatusPerson, history.OperationUnknown
	}
	if !r.Unapproved {
		s.Approval, s.Approved, s.Operations = "A holds more than 1000.00", []history.Intent{intent()}, []history.Operation{op}
	}
	return s
}

// Lease says who works on the record: the holder of the highest token, until it expires.
type Lease struct {
	Token     int       `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
}

// LeaseTTL is how long a lease runs. A worker that is killed leaves it behind, and the next one waits.
const LeaseTTL = 30 * time.Second

// checkpoint is all that the program keeps.
type checkpoint struct {
	Record Record `json:"record"`
	Lease  Lease  `json:"lease"`
}

// load reads the record.
func (w *worker) load(ctx context.Context) error {
	var err error
	w.rec, err = scenarios.Local(ctx, w.Hands, faults.Site{Seam: "checkpoint", Operation: "load"},
		scenarios.Told[Record]{After: func(e *history.Event, r Record, _ error) { e.Loaded = r.saved() }},
		func(ctx context.Context) (Record, error) {
			c, err := scenarios.ReadValue[checkpoint](ctx, w.Texts, CheckpointFile)
			return c.Record, err
		})
	return err
}

// save writes the next record, if the lease is still this worker's.
//
// Errors: resolver.ErrLeaseLost, and nothing is written.
func (w *worker) save(ctx context.Context, next Record) error {
	saved := next.saved()
	_, err := scenarios.Local(ctx, w.Hands, faults.Site{Seam: "checkpoint", Operation: "save"},
		scenarios.Told[struct{}]{Before: func(e *history.Event) { e.Saved = saved }},
		func(ctx context.Context) (struct{}, error) {
			return struct{}{}, w.underLease(ctx, func(c *checkpoint) { c.Record = next })
		})
	if err != nil {
		return fmt.Errorf("save as %s: %w", next.Status, err)
	}
	w.rec = next
	return nil
}

func (w *worker) underLease(ctx context.Context, change func(*checkpoint)) error {
	return scenarios.UpdateValue(ctx, w.Texts, CheckpointFile, func(c *checkpoint) error {
		if c.Lease.Token != w.token {
			return resolver.ErrLeaseLost
		}
		change(c)
		return nil
	})
}

// heldError is returned while the lease is another worker's.
type heldError struct{ until time.Time }

func (e *heldError) Error() string { return "the lease runs until " + e.until.Format(time.TimeOnly) }

// maxWaits bounds how often a worker waits for a lease that others take before it.
const maxWaits = 8

// acquire takes the lease, with a token higher than any before. One that is held is waited for: nobody
// can tell a dead holder from a slow one before it expires.
func (w *worker) acquire(ctx context.Context) error {
	for range maxWaits {
		var held *heldError
		token, err := scenarios.Local(ctx, w.Hands, faults.Site{Seam: "lease", Operation: "acquire"},
			scenarios.Told[int]{After: func(e *history.Event, _ int, err error) {
				if errors.As(err, &held) {
					e.Answer = history.Refused
				}
			}}, w.takeLease)
		if held == nil {
			w.token = token
			return err
		}
		if err := w.Clock.Wait(ctx, held.until.Sub(w.Clock.Now())); err != nil {
			return err
		}
	}
	return fmt.Errorf("the lease was taken by others %d times", maxWaits)
}

func (w *worker) takeLease(ctx context.Context) (token int, err error) {
	now := w.Clock.Now()
	err = scenarios.UpdateValue(ctx, w.Texts, CheckpointFile, func(c *checkpoint) error {
		if c.Lease.ExpiresAt.After(now) {
			return &heldError{c.Lease.ExpiresAt}
		}
		token = c.Lease.Token + 1
		c.Lease = Lease{token, now.Add(LeaseTTL)}
		return nil
	})
	return token, err
}

// release gives the lease back, so that nobody waits for it.
func (w *worker) release(ctx context.Context) error {
	_, err := scenarios.Local(ctx, w.Hands, faults.Site{Seam: "lease", Operation: "release"}, scenarios.Told[struct{}]{},
		func(ctx context.Context) (struct{}, error) {
			return struct{}{}, w.underLease(ctx, func(c *checkpoint) { c.Lease.ExpiresAt = time.Time{} })
		})
	return err
}
