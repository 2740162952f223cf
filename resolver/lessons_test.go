package resolver_test

import (
	"errors"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/services"
)

// The tests that the lessons name, on the tickets that they use.

// lesson returns an approved run of one ticket with the faults of the lesson.
func lesson(t *testing.T, ticketID string, action resolver.Action, faults ...string) *bench {
	t.Helper()
	b := newBench(t, provider.Larkfield(), ticketID, action)
	for _, text := range faults {
		f, err := services.ParseFault(text)
		must(t, err)
		b.caller.Faults = append(b.caller.Faults, f)
	}
	b.approve()
	return b
}

// interrupted runs one life that a simulated stop ends.
func (b *bench) interrupted(where resolver.Interrupt) {
	b.t.Helper()
	b.x.Interrupt = where
	var stop *resolver.InterruptedError
	if err := b.execute(); !errors.As(err, &stop) {
		b.t.Fatalf("got %v, want a simulated stop", err)
	}
	b.x.Interrupt = ""
	same(b.t, "status after the stop", b.load().Status, resolver.Executing)
}

func TestLesson_InterruptBeforeTheWriteThenResume(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund)
	b.interrupted(resolver.InterruptBeforeWrite)
	same(t, "after the stop", b.ends(), one(resolver.Executing, "pending", 0, 0))
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 1, 1))
	same(t, "trace", trace(b.load(), "note", "write", "reconcile"), []string{"write request_refund op " + feeID + " -> done"})
}

func TestLesson_InterruptAfterTheWriteThenResumeReconciles(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund)
	b.interrupted(resolver.InterruptAfterWrite)
	same(t, "after the stop", b.ends(), one(resolver.Executing, "pending", 1, 1))
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 1, 1))
	same(t, "calls", b.script.calls, 1)
	same(t, "trace", trace(b.load(), "note", "write", "reconcile"), []string{
		"write request_refund op " + feeID + " -> done", "note interrupted",
		"reconcile request_refund op " + feeID + " -> found: it happened",
	})
}

func TestLesson_ATimeoutAfterTheWriteIsReconciledNotRepeated(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund, "request_refund:timeout_after_write")
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 1, 1))
	s := b.load()
	same(t, "trace", trace(s, "approval", "write", "reconcile", "stop"), []string{
		"approval approved by Grace (grace)",
		"write request_refund op " + feeID + " -> timeout",
		"reconcile request_refund op " + feeID + " -> found: it happened",
		"stop done",
	})
	same(t, "faults seen", s.FaultsSeen, []string{"request_refund:timeout_after_write"})
}

// The shortcut is kept as a test, so that nobody brings it back by accident.
func TestLesson_JustCallingItAgainRefundsTwice(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund, "request_refund:timeout_after_write")
	b.x.NaiveRetry = true
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 2, 2))
	var cents int64
	var ids []string
	for _, c := range b.changes() {
		cents += c.Action.AmountCents
		ids = append(ids, c.OperationID)
	}
	same(t, "paid out", cents, int64(19_90))
	same(t, "ids", ids, []string{feeID, feeID + "-retry1"})
	same(t, "trace", trace(b.load(), "write", "reconcile"), []string{
		"write request_refund op " + feeID + " -> timeout", "write request_refund op " + feeID + "-retry1 -> done",
	})
}

// The shortcut is never saved: whoever resumes uses the operation id.
func TestLesson_AResumeIsNeverNaive(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund)
	b.x.NaiveRetry = true
	b.interrupted(resolver.InterruptAfterWrite)
	b.x.NaiveRetry = false
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 1, 1))
}

func TestLesson_ATimeoutBeforeTheWriteIsRetriedWithTheSameID(t *testing.T) {
	b := lesson(t, "T-90604", ladderLabel, "create_return_label:timeout_before_write")
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 2, 1))
	same(t, "trace", trace(b.load(), "write", "reconcile"), []string{
		"write create_return_label op 2ed3b2a93ab0f494 -> timeout",
		"reconcile create_return_label op 2ed3b2a93ab0f494 -> not found",
		"write create_return_label op 2ed3b2a93ab0f494 -> done",
	})
}

func TestLesson_AServiceThatIsDownOnceIsRetried(t *testing.T) {
	b := lesson(t, "T-90604", ladderLabel, "create_return_label:unavailable")
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 2, 1))
	same(t, "questions", b.script.asked, 0)
}

func TestLesson_ARefusedWriteGoesToAPersonWithNoChange(t *testing.T) {
	trowel := resolver.Action{Tool: resolver.ReshipItem, OrderID: "LK-645445", SKU: "TROWEL", Quantity: 1}
	b := lesson(t, "T-90605", trowel, "reship_item:denied")
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.HandedToPerson, "failed", 1, 0))
	if b.load().StopReason == "" {
		t.Error("the person is told no reason")
	}
}

func TestLesson_RunningTheSameApprovedProposalTwiceChangesNothingMore(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund)
	must(t, b.execute())
	first, calls := b.load(), b.script.calls
	must(t, b.execute())
	same(t, "state", b.load(), first)
	same(t, "changes, calls", [2]int{len(b.changes()), b.script.calls}, [2]int{1, calls})
}

// test_systems.py: the practice services themselves.

func TestLesson_OneIDOneWrite(t *testing.T) {
	b := newBench(t, provider.Larkfield(), "T-90104", feeRefund)
	desk := b.world.Services(b.caller).Payment
	w := resolver.WriteRequest{TicketID: "T-90104", Key: feeID, Action: feeRefund}
	first, err := desk.RequestRefund(ctx, w)
	must(t, err)
	again, err := desk.RequestRefund(ctx, w)
	must(t, err)
	same(t, "a repeat", again.Repeated, true)
	again.Repeated = false
	same(t, "answer", again, first)
	same(t, "changes", len(b.changes()), 1)
}

func TestLesson_ATimeoutAfterTheWriteHidesAChangeThatTheRegisterFinds(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund, "request_refund:timeout_after_write")
	desk := b.world.Services(b.caller).Payment
	_, err := desk.RequestRefund(ctx, resolver.WriteRequest{Key: feeID, Action: feeRefund})
	isErr(t, "refund", err, resolver.ErrTimeout)
	found, ok, err := desk.Operation(ctx, feeID)
	must(t, err)
	same(t, "found", ok, true)
	same(t, "action", found.Action, feeRefund)
	_, ok, err = desk.Operation(ctx, "0000000000000000")
	must(t, err)
	same(t, "found another", ok, false)
}

func TestLesson_ARefundAboveWhatWasPaidIsRefused(t *testing.T) {
	b := newBench(t, provider.Larkfield(), "T-90104", feeRefund)
	desk := b.world.Services(b.caller).Payment
	for _, c := range []struct {
		cents int64
		taken bool
	}{{29_91, false}, {29_90, true}, {1, false}} {
		a := refundOf(c.cents)
		_, err := desk.RequestRefund(ctx, resolver.WriteRequest{Key: "k" + resolver.FormatCents(c.cents), Action: a})
		var refused *resolver.RefusedError
		if errors.As(err, &refused) == c.taken {
			t.Errorf("%d cents: %v", c.cents, err)
		}
	}
	same(t, "changes", len(b.changes()), 1)
}

// test_checkpoint.py: the whole state, plan and events included, through a new store.
func TestLesson_SaveAndLoadTheWholeState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.sqlite")
	open := func() *checkpoint.SQLite {
		store, err := checkpoint.Open(path, checkpoint.Options{Clock: &clock{now: today}})
		must(t, err)
		return store
	}
	store := open()
	s := whole(t)
	s.Version, s.UpdatedAt = 0, s.UpdatedAt.UTC()
	must(t, store.Create(ctx, s))
	must(t, store.Close())
	store = open()
	defer store.Close()
	back, err := store.Load(ctx, s.RunID)
	must(t, err)
	same(t, "state", back, s)
	latest, err := store.LatestRun(ctx, s.TicketID)
	must(t, err)
	same(t, "latest", latest, s.RunID)
	must(t, store.Check(ctx))
}

// The exercise at the end of the module: T-90604 without the fault that it carries itself.

func TestExercise_ResumeAfterAStopWritesTheLabelOnce(t *testing.T) {
	for where, atStop := range map[resolver.Interrupt]int{resolver.InterruptBeforeWrite: 0, resolver.InterruptAfterWrite: 1} {
		t.Run(string(where), func(t *testing.T) {
			b := lesson(t, "T-90604", ladderLabel)
			b.interrupted(where)
			same(t, "labels at the stop", len(b.changes()), atStop)
			must(t, b.execute())
			must(t, b.execute()) // a second resume changes nothing
			same(t, "end", b.ends(), one(resolver.Done, "done", 1, 1))
		})
	}
}

func TestExercise_AResumeCannotSkipTheApproval(t *testing.T) {
	b := newBench(t, provider.Larkfield(), "T-90604", ladderLabel)
	isErr(t, "while it waits", b.execute(), resolver.ErrNotApproved)
	must(t, b.underLease(func(s *resolver.TaskState, lease resolver.Lease) error {
		if err := resolver.Reject(s, resolver.RoleGrace, "Grace", "the customer already sent it back"); err != nil {
			return err
		}
		return b.store.Save(ctx, s, lease)
	}))
	isErr(t, "after a rejection", b.execute(), resolver.ErrNotApproved)
	same(t, "calls, changes", [2]int{b.script.calls, len(b.changes())}, [2]int{0, 0})
}

// The exercise's proof: with a new id for every request the case "after the write" makes two labels.
func TestExercise_ARandomIDMakesTwoLabels(t *testing.T) {
	for where, want := range map[resolver.Interrupt]int{resolver.InterruptBeforeWrite: 1, resolver.InterruptAfterWrite: 2} {
		t.Run(string(where), func(t *testing.T) {
			b := lesson(t, "T-90604", ladderLabel)
			b.script.random = &randomIDs{}
			b.interrupted(where)
			must(t, b.execute())
			same(t, "labels", len(b.changes()), want)
			same(t, "status", b.load().Status, resolver.Done)
		})
	}
}

// randomIDs stands for an operation_id() that returns another value at every call: requests and
// questions each carry a name that was never heard before.
type randomIDs struct{ n int }

func (r *randomIDs) next() string {
	r.n++
	return "random-" + strconv.Itoa(r.n)
}
