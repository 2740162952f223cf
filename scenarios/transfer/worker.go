package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

// maxCalls bounds the calls for the transfer, counted over all lives; then a person decides.
const maxCalls = 3

// Mark says when the status is written that the transfer is made.
type Mark int

// The ways to mark.
const (
	// MarkChecked: the intent is written before the action, and the status after the check.
	MarkChecked Mark = iota
	// MarkFirst: the status is written, then the action is done; MarkLast the other way round. Neither
	// sends a key, asks or checks: they are the lesson's exercise.
	MarkFirst
	MarkLast
)

// worker is one life of the program.
type worker struct {
	Form
	*scenarios.Hands
	alerter Alerter
	token   int
	rec     Record
}

// live takes the transfer from where its record stands to its end.
func (f Form) live(ctx context.Context, h *scenarios.Hands) (history.End, error) {
	w := &worker{Form: f, Hands: h, alerter: pointAlerter{h}}
	if f.alerter != nil {
		w.alerter = f.alerter
	}
	if err := w.load(ctx); err != nil {
		return history.Failed, err
	}
	if w.rec.final() {
		return w.rec.end(), nil
	}
	if err := w.acquire(ctx); err != nil {
		return history.Failed, err
	}
	// Another worker may have gone on while this one waited for the lease.
	if err := w.load(ctx); err != nil {
		return history.Failed, err
	}
	for !w.rec.final() {
		if err := w.advance(ctx); err != nil {
			return history.Failed, err
		}
	}
	if err := w.release(ctx); err != nil {
		return history.Failed, err
	}
	return w.rec.end(), nil
}

// advance makes the next move from the status on record.
func (w *worker) advance(ctx context.Context) error {
	switch w.rec.Status {
	case "":
		return w.propose(ctx)
	case Approved:
		return w.commit(ctx)
	case InFlight:
		return w.settle(ctx)
	case RollingBack:
		return w.rollBack(ctx)
	}
	return fmt.Errorf("the record has the status %q", w.rec.Status)
}

// propose has the transfer approved, by rule: A holds more than 1000. Its rollback is part of what is
// approved: in-band, the bank reverses its own entry.
func (w *worker) propose(ctx context.Context) error {
	why, err := w.ask(ctx, w.planted.Propose)
	if err != nil {
		return err
	}
	if why != "" {
		return w.handOver(ctx, Record{Status: Stopped, Reason: why, Unapproved: true})
	}
	return w.save(ctx, Record{Status: Approved})
}

func (w *worker) ask(ctx context.Context, swapped Asks) (string, error) {
	if swapped != nil {
		return swapped(ctx, w.precondition)
	}
	return w.precondition(ctx)
}

// commit makes an approved transfer, if what it was approved for still holds.
func (w *worker) commit(ctx context.Context) error {
	why, err := w.ask(ctx, w.planted.Again)
	if err != nil {
		return err
	}
	if why != "" {
		// No call of this transfer can have happened: it was never sent, or the bank has just said so.
		// So none is left open on the record.
		return w.handOver(ctx, Record{Status: Stopped, Reason: why})
	}
	switch w.Mark {
	case MarkFirst:
		if err := w.save(ctx, Record{Status: Committed}); err != nil {
			return err
		}
		_, err := w.transfer(ctx, "")
		return w.unlessUnanswered(err)
	case MarkLast:
		got, err := w.transfer(ctx, "")
		if err != nil {
			return w.refusedOrUnanswered(ctx, err)
		}
		return w.save(ctx, Record{Status: Committed, RecordID: got.Entry.Record})
	}
	if err := w.save(ctx, Record{Status: InFlight, Attempts: w.rec.Attempts + 1}); err != nil {
		return err
	}
	got, err := w.transfer(ctx, operationID)
	if err != nil {
		return w.refusedOrUnanswered(ctx, err)
	}
	return w.verify(ctx, got.Entry.Record, nil)
}

// unlessUnanswered drops the errors that leave an outcome unknown.
func (w *worker) unlessUnanswered(err error) error {
	if errors.Is(err, resolver.ErrTimeout) || errors.Is(err, resolver.ErrUnavailable) {
		return nil
	}
	return err
}

// refusedOrUnanswered hands over what the bank refused. What is unanswered stays as it is on record; a
// worker that is fenced off writes nothing.
func (w *worker) refusedOrUnanswered(ctx context.Context, err error) error {
	var refused *resolver.RefusedError
	if errors.As(err, &refused) && refused.Code != staleToken {
		return w.handOver(ctx, Record{Status: Stopped, Attempts: w.rec.Attempts, Reason: refused.Message})
	}
	return w.unlessUnanswered(err)
}

// settle goes on with a transfer that was, perhaps, sent: the bank is asked first. One that was made needs
// no precondition any more, since it has changed what the precondition speaks of.
func (w *worker) settle(ctx context.Context) error {
	got, err := w.operation(ctx)
	switch {
	case err != nil:
		return err
	case got.Found:
		return w.verify(ctx, got.Entry.Record, w.planted.Found)
	case w.rec.Attempts >= maxCalls:
		return w.handOver(ctx, Record{Status: Stopped, Attempts: w.rec.Attempts, Reason: fmt.Sprintf("not made by %d calls", w.rec.Attempts)})
	}
	return w.commit(ctx)
}

// verify reads the rows back: an answer that says yes is no proof. Only what was checked is committed;
// anything else is a known-bad state, and is rolled back. A swapped check has the last word.
func (w *worker) verify(ctx context.Context, record string, swapped func(string) string) error {
	got, err := w.readBack(ctx, record)
	if err != nil {
		return err
	}
	next := Record{Status: Committed, Attempts: w.rec.Attempts, RecordID: record}
	if next.Differs = difference(got); swapped != nil {
		next.Differs = swapped(next.Differs)
	}
	if next.Differs != "" {
		next.Status = RollingBack
	}
	return w.save(ctx, next)
}

// difference returns how an entry differs from what was approved, empty if it does not.
func difference(got found) string {
	e := got.Entry
	switch {
	case !got.Found:
		return "the entry is not in the books"
	case e.From != "A" || e.To != "B" || e.AmountCents != amountCents:
		return fmt.Sprintf("the entry is %s to %s over %s", e.From, e.To, resolver.FormatCents(e.AmountCents))
	case e.DebitedCents != amountCents || e.CreditedCents != amountCents:
		return fmt.Sprintf("A was debited %s and B credited %s", resolver.FormatCents(e.DebitedCents), resolver.FormatCents(e.CreditedCents))
	}
	return ""
}

// rollBack takes the transfer back and checks that it is gone. Where the bank refuses, the rollback is
// out-of-band: the state is left for a person.
func (w *worker) rollBack(ctx context.Context) error {
	next := w.rec
	next.Status, next.Reason = RolledBack, w.rec.Differs+"; rolled back"
	reverse := w.reverse
	if swapped := w.planted.Reverse; swapped != nil {
		reverse = func(ctx context.Context) error { return swapped(ctx, w.reverse) }
	}
	err, why := reverse(ctx), "the rollback is not in the books"
	var refused *resolver.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Code != staleToken:
		why = "not rolled back: " + refused.Message
	case err != nil:
		return err
	}
	// A refusal says nothing of an earlier try whose answer nobody saw: the books do.
	got, err := w.readBack(ctx, w.rec.RecordID)
	if err != nil {
		return err
	}
	if got.Found && !got.Entry.Reversed {
		next.Status, next.Reason = LeftAsIs, w.rec.Differs+"; "+why
	}
	return w.handOver(ctx, next)
}

// handOver alerts a person, then ends the run. The alert goes first: a run that is final is never looked
// at again, so a kill between the two repeats the alert rather than losing it.
func (w *worker) handOver(ctx context.Context, next Record) error {
	alert := func(ctx context.Context) error {
		a := Alert{ID: runID + " " + string(next.Status), Run: runID, Text: next.Reason}
		if err := w.alerter.Raise(ctx, a); err != nil {
			return fmt.Errorf("alert: %w", err)
		}
		return nil
	}
	save := func(ctx context.Context) error { return w.save(ctx, next) }
	if swapped := w.planted.HandOver; swapped != nil {
		return swapped(ctx, alert, save)
	}
	if err := alert(ctx); err != nil {
		return err
	}
	return save(ctx)
}
