package resolver

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// DefaultLeaseTTL is how long a lease runs before it has to be renewed.
const DefaultLeaseTTL = 30 * time.Second

// Runner drives runs from ticket to end: it joins the loop, the approval and the executor to the store,
// always under a lease.
type Runner struct {
	Executor
	Loop   Loop
	Holder Holder
	// Tickets finds the ticket of a saved run.
	Tickets func(ticketID string) (Ticket, error)
}

// Start saves a new run and runs the loop to its end. The store must not hold the run yet.
func (r *Runner) Start(ctx context.Context, t Ticket, s *TaskState) error {
	if err := r.Store.Create(ctx, s); err != nil {
		return err
	}
	return r.underLease(ctx, s.RunID, func(lease Lease) error {
		if err := r.overtaken(ctx, s, lease); err != nil || s.Status != Running {
			return err
		}
		return r.loop(ctx, t, s, lease)
	})
}

// overtaken reads a new run again when its lease is not the first one: another process found the run
// between its creation and our lease, and worked on it.
func (r *Runner) overtaken(ctx context.Context, s *TaskState, lease Lease) error {
	if lease.Token == 1 {
		return nil
	}
	newer, err := r.Store.Load(ctx, s.RunID)
	if err == nil {
		*s = *newer
	}
	return err
}

func (r *Runner) loop(ctx context.Context, t Ticket, s *TaskState, lease Lease) error {
	e := &execution{Executor: &r.Executor, s: s, lease: lease}
	saved := s.Status
	err := r.Loop.Run(ctx, t, s, func(ctx context.Context, s *TaskState) error {
		saved = s.Status
		if s.Status == Running {
			return e.save(ctx)
		}
		return e.save(ctx, e.loopEnd())
	})
	// A loop that ends by a limit has no last step to save after.
	if err == nil && s.Status != saved {
		err = e.save(ctx, e.loopEnd())
	}
	return err
}

func (e *execution) loopEnd() TrailEntry {
	entry := e.trail(string(e.s.Status), "", e.s.StopReason)
	if e.s.Proposal != nil {
		entry.Detail = e.s.Proposal.Summary()
	}
	return entry
}

// Approve records a person's approval of a waiting run and carries it out. The returned state is the
// run as it stands, also beside an error of the execution.
//
// Errors: those of package-level Approve, of Store.Acquire and of Execute.
func (r *Runner) Approve(ctx context.Context, runID string, role Role, name, note string) (*TaskState, error) {
	var s *TaskState
	err := r.underLease(ctx, runID, func(lease Lease) (err error) {
		if s, err = r.Store.Load(ctx, runID); err != nil {
			return err
		}
		if err = r.approve(ctx, s, lease, role, name, note); err != nil {
			return err
		}
		return r.Execute(ctx, s, lease)
	})
	return s, err
}

func (r *Runner) approve(ctx context.Context, s *TaskState, lease Lease, role Role, name, note string) error {
	now := r.Clock.Now()
	if err := Approve(s, role, name, note, now); err != nil {
		return err
	}
	return r.Store.Save(ctx, s, lease, TrailEntry{RunID: s.RunID, At: now, What: "approved",
		Actor: fmt.Sprintf("%s (%s)", s.Approval.Name, role), Detail: s.Approval.Fingerprint})
}

// Reject records a person's no. Nothing is written outside.
func (r *Runner) Reject(ctx context.Context, runID string, role Role, name, note string) (*TaskState, error) {
	var s *TaskState
	err := r.underLease(ctx, runID, func(lease Lease) (err error) {
		if s, err = r.Store.Load(ctx, runID); err != nil {
			return err
		}
		if err = Reject(s, role, name, note); err != nil {
			return err
		}
		return r.Store.Save(ctx, s, lease, TrailEntry{RunID: runID, At: r.Clock.Now(), What: "rejected", Actor: string(role), Detail: note})
	})
	return s, err
}

// Resume goes on with a saved run, whatever its status: the loop from its saved messages, the executor
// from what is pending. A waiting or ended run is returned as it is, with no call and no cost.
func (r *Runner) Resume(ctx context.Context, runID string) (*TaskState, error) {
	s, err := r.Store.Load(ctx, runID)
	if err != nil || s.Status.Final() || s.Status == WaitingApproval {
		return s, err
	}
	err = r.underLease(ctx, runID, func(lease Lease) (err error) {
		if s, err = r.Store.Load(ctx, runID); err != nil {
			return err
		}
		return r.goOn(ctx, s, lease)
	})
	return s, err
}

func (r *Runner) goOn(ctx context.Context, s *TaskState, lease Lease) error {
	switch s.Status {
	case Running:
		t, err := r.Tickets(s.TicketID)
		if err != nil {
			return err
		}
		return r.loop(ctx, t, s, lease)
	case Executing:
		return r.Execute(ctx, s, lease)
	}
	return nil
}

// ApprovalRule decides who approves a proposal where no person is at hand.
type ApprovalRule func(*Proposal) (Role, string)

// ApproveByRole approves every proposal as the least role that may.
func ApproveByRole(p *Proposal) (Role, string) { return RequiredRole(p), "" }

// Drive takes a ticket from wherever it stands to its end, with the approval given by a rule: one life
// of the whole workflow. Called again after a crash it goes on, except where the strategy begins again.
func (r *Runner) Drive(ctx context.Context, t Ticket, variant, model string, repeat int, rule ApprovalRule) (*TaskState, error) {
	runID := RunID(t.ID, variant, model, 1)
	if r.Strategy.FromStart {
		runs, err := r.Store.List(ctx)
		if err != nil {
			return nil, err
		}
		runID = RunID(t.ID, variant, model, len(runs)+1)
		repeat += len(runs)
	}
	lease, err := r.Store.Acquire(ctx, runID, r.Holder, r.leaseTTL())
	var s *TaskState
	switch {
	case errors.Is(err, ErrUnknownRun):
		s = NewState(t, runID, variant, model, repeat)
		if err = r.Store.Create(ctx, s); err != nil {
			return nil, err
		}
		if lease, err = r.Store.Acquire(ctx, runID, r.Holder, r.leaseTTL()); err == nil {
			err = r.overtaken(ctx, s, lease)
		}
	case err == nil:
		s, err = r.Store.Load(ctx, runID)
	}
	if err != nil {
		return nil, err
	}
	if err := r.toItsEnd(ctx, s, lease, rule); err != nil {
		return s, err
	}
	return s, r.Store.Release(ctx, lease)
}

func (r *Runner) toItsEnd(ctx context.Context, s *TaskState, lease Lease, rule ApprovalRule) error {
	if s.Status == Running {
		if err := r.goOn(ctx, s, lease); err != nil {
			return err
		}
	}
	if s.Status == WaitingApproval {
		role, name := rule(s.Proposal)
		if err := r.approve(ctx, s, lease, role, name, ""); err != nil {
			return err
		}
	}
	return r.goOn(ctx, s, lease)
}

// underLease runs do with the lease of a run and gives it back, also after an error: the next process
// need not wait for what this one no longer does.
func (r *Runner) underLease(ctx context.Context, runID string, do func(Lease) error) error {
	lease, err := r.Store.Acquire(ctx, runID, r.Holder, r.leaseTTL())
	if err != nil {
		return err
	}
	err = do(lease)
	if released := r.Store.Release(context.WithoutCancel(ctx), lease); err == nil {
		err = released
	}
	return err
}
