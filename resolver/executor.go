package resolver

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// MaxCalls bounds the calls for one action, counted over all processes that tried; then a person decides.
const MaxCalls = 3

// Executor carries out an approved proposal, one action after the other, each exactly once as far as the
// services let it. It knows nothing of crashes: it saves before every call, and whoever starts again goes
// on from what was saved.
//
// Concurrency: one Executor serves one run at a time; the lease keeps other processes out.
// Source: lesson "Side effects and retries", execute().
type Executor struct {
	Store    Store
	Services Services
	Clock    Clock
	Strategy Strategy
	// Alert is told of a known-bad state. It must not fail silently: an error ends the execution.
	Alert func(ctx context.Context, text string) error
	// Interrupt is the lesson's simulated stop; see InterruptBeforeWrite.
	Interrupt Interrupt
	// NaiveRetry is the lesson's shortcut: after a time-out the call is sent again under another id.
	NaiveRetry bool
	// LeaseTTL is how long a renewed lease runs; 0 means DefaultLeaseTTL.
	LeaseTTL time.Duration
}

// execution is one call of Execute.
type execution struct {
	*Executor
	s     *TaskState
	lease Lease
	// idle counts the calls of the operation under way that are known to have changed nothing.
	idle int
	// began is when this process took the run over; stalled says that the one before may still send a call on record.
	began   time.Time
	stalled bool
}

// Execute carries out the actions of an approved run and leaves it done or handed to a person. Calling
// it again changes nothing more.
//
// Errors: ErrNotApproved or ErrForeignOrder before anything is sent; *InterruptedError for a simulated
// stop; ErrLeaseLost and ErrStale when another process took over; ErrEnded when the strategy gives up
// the process; a store's error. What was saved stays, and Execute can be called again.
func (x *Executor) Execute(ctx context.Context, s *TaskState, lease Lease) error {
	if s.Status.Final() && s.Approval != nil {
		return nil
	}
	if err := Authorize(s); err != nil {
		return err
	}
	e := &execution{Executor: x, s: s, lease: lease, stalled: lease.Stalled, began: x.Clock.Now()}
	for _, a := range s.Proposal.Actions {
		op := e.operation(a.Action)
		if err := e.perform(ctx, op); err != nil {
			return err
		}
		if op.Status != OperationDone {
			return e.finish(ctx, HandedToPerson)
		}
	}
	return e.finish(ctx, Done)
}

// Authorize reports whether a run may write: it has an approval of exactly this proposal, and every
// order it names was looked up as the customer's own.
func Authorize(s *TaskState) error {
	if s.Status != Executing || s.Proposal == nil || s.Approval == nil {
		return fmt.Errorf("run %s is %s: %w", s.RunID, s.Status, ErrNotApproved)
	}
	if s.Approval.Fingerprint != Fingerprint(s) {
		return fmt.Errorf("run %s: the approval is of another proposal: %w", s.RunID, ErrNotApproved)
	}
	own := s.ownOrders()
	for _, a := range s.Proposal.Actions {
		if !own[a.OrderID] {
			return fmt.Errorf("run %s: %s: %w", s.RunID, a.OrderID, ErrForeignOrder)
		}
	}
	return nil
}

// operation returns the record of an action, a new pending one if there is none.
func (e *execution) operation(a Action) *Operation {
	id := OperationID(e.s.TicketID, a)
	if op := e.s.Operation(id); op != nil {
		return op
	}
	e.s.Operations = append(e.s.Operations, Operation{ID: id, Tool: a.Tool, Action: a, Status: OperationPending})
	return &e.s.Operations[len(e.s.Operations)-1]
}

// perform brings one operation to a settled status, or hands it over as unknown.
func (e *execution) perform(ctx context.Context, op *Operation) error {
	e.idle = 0
	for op.Status == OperationPending {
		if op.Attempts > 0 {
			if settled, err := e.reconcile(ctx, op); err != nil || settled {
				return err
			}
		}
		if err := e.attempt(ctx, op); err != nil {
			return err
		}
	}
	return nil
}

// attempt makes the next call, after the check and the record that belong before it.
func (e *execution) attempt(ctx context.Context, op *Operation) error {
	if op.Attempts >= MaxCalls {
		return e.record(ctx, op, OperationUnknown, fmt.Sprintf("no answer after %d call(s)", op.Attempts))
	}
	if refusal, err := e.check(ctx, op); err != nil || refusal != "" {
		if err != nil {
			return err
		}
		return e.refusal(ctx, op, no{earlierCalls: op.Attempts - e.idle, otherwise: e.withoutEffect(op), why: refusal})
	}
	if e.Interrupt == InterruptBeforeWrite {
		if err := e.save(ctx); err != nil {
			return err
		}
		return &InterruptedError{RunID: e.s.RunID, Where: "before the write of " + op.ID}
	}
	if err := e.recordAttempt(ctx, op); err != nil {
		return err
	}
	// The process may have stood still since the save: a lease that ran out is not relied on for a write.
	if err := e.hold(ctx); err != nil {
		return err
	}
	change, err := e.call(ctx, op, e.key(op))
	// The process may have stood still between the record and the call.
	returned := e.Clock.Now()
	op.LastCallAt = &returned
	return e.answered(ctx, op, change, err)
}

// withoutEffect is the status of an operation that ends before a call: failed when every call on record
// is known to have changed nothing, else what nobody knows.
func (e *execution) withoutEffect(op *Operation) OperationStatus {
	if e.idle == op.Attempts {
		return e.notMade(op)
	}
	return OperationUnknown
}

// recordAttempt counts the call and saves what the strategy saves before it. The attempt is counted
// before the save: a record that says "not tried" after a try would let a resumed run call again unasked.
func (e *execution) recordAttempt(ctx context.Context, op *Operation) error {
	now := e.Clock.Now()
	if op.FirstCallAt == nil {
		op.FirstCallAt = &now
	}
	op.LastCallAt = &now
	op.Attempts++
	switch e.Strategy.Record {
	case RecordAttemptFirst:
		return e.save(ctx, e.trail("attempt", op.ID, fmt.Sprintf("call %d", op.Attempts)))
	case RecordDoneFirst:
		op.Status = OperationDone
		return e.save(ctx, e.trail("done", op.ID, "recorded before the call"))
	}
	return nil
}

func (e *execution) key(op *Operation) string {
	if !e.Strategy.SendsKey {
		return ""
	}
	if e.NaiveRetry && op.Attempts > 1 {
		return fmt.Sprintf("%s-retry%d", op.ID, op.Attempts-1)
	}
	return op.ID
}

// call sends one request and logs what came of it.
func (e *execution) call(ctx context.Context, op *Operation, key string) (Change, error) {
	w := WriteRequest{TicketID: e.s.TicketID, Key: key, Action: op.Action}
	var change Change
	var err error
	switch op.Tool {
	case RequestRefund:
		change, err = e.Services.Payment.RequestRefund(ctx, w)
	case ReshipItem:
		change, err = e.Services.Warehouse.ReshipItem(ctx, w)
	default:
		change, err = e.Services.Warehouse.CreateReturnLabel(ctx, w)
	}
	e.s.NoteFault(err)
	name := key
	if name == "" {
		name = op.ID
	}
	e.s.Log("write", "%s op %s -> %s", op.Tool, name, answerWord(err))
	return change, err
}

func answerWord(err error) string {
	var refused *RefusedError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &refused):
		return "refused: " + refused.Message
	case errors.Is(err, ErrUnavailable):
		return "unavailable"
	case errors.Is(err, ErrInFlight):
		return "in flight"
	default:
		return "timeout"
	}
}

// answered records what one answer means. An uncertain one leaves the operation pending.
func (e *execution) answered(ctx context.Context, op *Operation, change Change, err error) error {
	var refused *RefusedError
	switch {
	case err == nil && e.Interrupt == InterruptAfterWrite:
		e.s.Log("note", "interrupted")
		if err := e.save(ctx); err != nil {
			return err
		}
		return &InterruptedError{RunID: e.s.RunID, Where: "after the write of " + op.ID}
	case err == nil:
		return e.applied(ctx, op, change)
	case errors.As(err, &refused):
		return e.refused(ctx, op, refused)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrUnavailable) && e.register(op).Capabilities().UnavailableIsSafe && e.Strategy.Ask == AskByID:
		return e.safelyUnavailable(ctx, op)
	case e.Strategy.FromStart:
		return fmt.Errorf("%s %s: %w", op.Tool, op.Action.OrderID, ErrEnded)
	default:
		return nil
	}
}

// safelyUnavailable goes on after a 503 of a service that promises it changed nothing: there is nothing
// to ask about, so the call is made again. After the last one it is settled that nothing happened, unless
// an earlier call is still uncertain: of that one the 503 says nothing, and it is asked about.
func (e *execution) safelyUnavailable(ctx context.Context, op *Operation) error {
	if e.idle == op.Attempts-1 {
		e.idle = op.Attempts
	}
	switch {
	case op.Attempts < MaxCalls:
		return e.attempt(ctx, op)
	case e.idle < op.Attempts:
		return nil
	}
	return e.record(ctx, op, e.notMade(op), fmt.Sprintf("unavailable, %d times", op.Attempts))
}

// notMade is the status of an operation of which every call so far is known to have changed nothing. One that a
// stalled process had begun before us may still be sent: then nobody knows.
func (e *execution) notMade(op *Operation) OperationStatus {
	if e.stalled && op.FirstCallAt != nil && op.FirstCallAt.Before(e.began) {
		return OperationUnknown
	}
	return OperationFailed
}

// refused records a service's definite no to the latest call.
func (e *execution) refused(ctx context.Context, op *Operation, r *RefusedError) error {
	return e.refusal(ctx, op, no{earlierCalls: op.Attempts - 1, otherwise: OperationFailed, why: r.Message})
}

// no is a refusal, by the service or by the check before a call: earlierCalls may have gone through all
// the same. Otherwise is what is recorded where nobody can be asked about them.
type no struct {
	earlierCalls int
	otherwise    OperationStatus
	why          string
}

// refusal records a no. When an earlier call may have gone through, the refusal may be of our own change
// ("already refunded"), and says nothing about that call: who can be asked is asked first.
func (e *execution) refusal(ctx context.Context, op *Operation, n no) error {
	if n.earlierCalls == 0 || e.Strategy.Ask != AskByID || !e.register(op).Capabilities().Lookup {
		return e.record(ctx, op, n.otherwise, n.why)
	}
	switch found, change, err := e.askUntilSettled(ctx, op); {
	case err != nil:
		return err
	case found == happened:
		return e.applied(ctx, op, change)
	case found == didNotHappen:
		return e.record(ctx, op, e.notMade(op), n.why)
	default:
		return e.record(ctx, op, OperationUnknown, n.why)
	}
}

// applied compares the record with what was asked for, then records the operation as done.
func (e *execution) applied(ctx context.Context, op *Operation, change Change) error {
	if difference, err := e.verify(ctx, op, change); err != nil {
		return err
	} else if difference != "" {
		return e.knownBad(ctx, op, change.RecordID, difference)
	}
	op.RecordID = change.RecordID
	return e.record(ctx, op, OperationDone, "")
}

// record saves an operation's settled status with its line in the trail.
func (e *execution) record(ctx context.Context, op *Operation, status OperationStatus, why string) error {
	op.Status, op.Error = status, why
	return e.save(ctx, e.trail(string(status), op.ID, why))
}

// finish ends the run: a note in the ticket, then the final status.
func (e *execution) finish(ctx context.Context, status Status) error {
	if err := e.addNote(ctx, status); err != nil {
		return err
	}
	if err := e.s.MoveTo(status); err != nil {
		return err
	}
	if status == HandedToPerson {
		for _, op := range e.s.Operations {
			if op.Error != "" {
				e.s.StopReason = op.Error
			}
		}
	}
	e.s.Log("stop", "%s", status)
	return e.save(ctx, e.trail(string(status), "", e.s.StopReason))
}

// addNote tells the ticket how the run ended. The note is named after the run, so that a repeat is
// recognised whatever the strategy; a note that can't be written does not undo what was done.
func (e *execution) addNote(ctx context.Context, status Status) error {
	text := fmt.Sprintf("run %s: %s", e.s.RunID, status)
	for range MaxCalls {
		err := e.Services.Tickets.AddNote(ctx, e.s.TicketID, "note-"+e.s.RunID, text)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
	}
	e.s.Log("note", "the ticket note could not be written")
	return nil
}

func (e *execution) register(op *Operation) Register {
	if op.Tool == RequestRefund {
		return e.Services.Payment
	}
	return e.Services.Warehouse
}

func (e *execution) trail(what, operationID, detail string) TrailEntry {
	actor := "executor"
	if e.lease.Holder.PID != 0 {
		actor = "executor " + e.lease.Holder.String()
	}
	return TrailEntry{RunID: e.s.RunID, At: e.Clock.Now(), Actor: actor, What: what, OperationID: operationID, Detail: detail}
}

// save writes the state under the lease.
func (e *execution) save(ctx context.Context, trail ...TrailEntry) error {
	if err := e.hold(ctx); err != nil {
		return err
	}
	return e.Store.Save(ctx, e.s, e.lease, trail...)
}

// hold renews the lease when half of it is gone.
//
// Errors: ErrLeaseLost when another process has it.
func (e *execution) hold(ctx context.Context) error {
	ttl := e.leaseTTL()
	if e.lease.ExpiresAt.Sub(e.Clock.Now()) >= ttl/2 {
		return nil
	}
	renewed, err := e.Store.Renew(ctx, e.lease, ttl)
	if err == nil {
		e.lease = renewed
	}
	return err
}

func (x *Executor) leaseTTL() time.Duration {
	if x.LeaseTTL > 0 {
		return x.LeaseTTL
	}
	return DefaultLeaseTTL
}
