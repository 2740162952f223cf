package planted

import (
	"context"
	"errors"

	"github.com/paytwice/paytwice/resolver"
)

// answerBugs make the wrong thing of an answer, or of none.
func answerBugs() []Bug {
	return []Bug{
		{Name: "time-out-is-failure", Doc: "stores a time-out as failed",
			Invariant: "unknown-as-failed", Faults: []string{"lose-response"}, Crashes: 1, Planting: paying(timeoutIsFailure)},
		{Name: "late-request-written-off", Doc: "takes \"not found\" for the end of a request that is still on its way",
			Invariant: "state-mismatch", Faults: []string{"deliver-late 30s"}, Crashes: 1, Planting: paying(lateWrittenOff)},
		{Name: "look-up-from-a-cache", Doc: "remembers \"not found\" and gives it as the answer of a later question",
			Invariant: "double-write", Provider: "no-key", Crashes: 2, Planting: paying(lookUpFromACache)},
		{Name: "error-replayed-for-ever", Doc: "tries again under the key whose stored answer is an error, without end",
			Invariant: "never-ends", Provider: "replay-all", Faults: []string{"refuse"}, Crashes: 1, Planting: storing(neverTakesNo)},
		{Name: "in-flight-is-failure", Doc: "takes 409 for a failure: its own earlier request holds the key",
			Invariant: "unknown-as-failed", Strategy: "id-only", Provider: "replay-all", Faults: []string{"lose-response"}, Crashes: 1,
			Planting: paying(inFlightIsFailure)},
		{Name: "all-to-a-person", Doc: "hands everything to a person and calls it safe",
			Invariant: "needless-person", Crashes: 1, Planting: paying(allToAPerson)},
		{Name: "refusal-on-its-own-word", Doc: "hands over before any call: it says that nobody answers, and has asked nobody",
			Invariant: "needless-person", Crashes: 1, Planting: paying(asksNobody)},
		{Name: "refusal-settles-nothing", Doc: "hears a refusal, and asks nobody what became of its earlier call",
			Invariant: "needless-person", Faults: []string{"refuse"}, Crashes: 2, Planting: paying(refusalSettlesNothing)},
		{Name: "every-record-differs", Doc: "reads a record back, and finds a difference where there is none",
			Invariant: "needless-person", Crashes: 1, Planting: paying(everyRecordDiffers)},
		{Name: "difference-of-nothing", Doc: "hands a resumed operation over because of a record that it never saw",
			Invariant: "needless-person", Crashes: 2, Planting: storing(differenceOfNothing)},
	}
}

func timeoutIsFailure(p *paymentPiece, _ *resolver.Runner) {
	p.refund = func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
		c, err := p.Payment.RequestRefund(ctx, w)
		if errors.Is(err, resolver.ErrTimeout) {
			err = &resolver.RefusedError{Code: "timeout", Message: "the service did not answer"}
		}
		return c, err
	}
}

func lateWrittenOff(p *paymentPiece, _ *resolver.Runner) {
	notThere := false
	p.operation = func(ctx context.Context, id string) (resolver.Change, bool, error) {
		c, found, err := p.Payment.Operation(ctx, id)
		notThere = err == nil && !found
		return c, found, err
	}
	p.refund = func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
		if notThere {
			return resolver.Change{}, &resolver.RefusedError{Code: "not_found", Message: "it did not happen"}
		}
		return p.Payment.RequestRefund(ctx, w)
	}
}

func lookUpFromACache(p *paymentPiece, _ *resolver.Runner) {
	asked := map[string]bool{}
	p.operation = func(ctx context.Context, id string) (resolver.Change, bool, error) {
		if asked[id] {
			return resolver.Change{}, false, nil
		}
		c, found, err := p.Payment.Operation(ctx, id)
		asked[id] = err == nil && !found
		return c, found, err
	}
}

var errNotAccepted = errors.New("the refund has to go through: it is tried again")

func neverTakesNo(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		for _, op := range st.Operations {
			if op.Status == resolver.OperationFailed {
				return errNotAccepted
			}
		}
		return s.Save(ctx, st, lease, trail...)
	}}
}

func inFlightIsFailure(p *paymentPiece, _ *resolver.Runner) {
	claimed := map[string]bool{}
	p.refund = func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
		if claimed[w.Key] {
			return resolver.Change{}, &resolver.RefusedError{Code: "in_flight", Message: "a request under this key is being worked on"}
		}
		claimed[w.Key] = true
		return p.Payment.RequestRefund(ctx, w)
	}
}

func allToAPerson(p *paymentPiece, _ *resolver.Runner) {
	p.refund = func(context.Context, resolver.WriteRequest) (resolver.Change, error) {
		return resolver.Change{}, &resolver.RefusedError{Code: "careful", Message: "a person should look at this"}
	}
}

// asksNobody takes the question that stands before every call for one that was not answered.
func asksNobody(p *paymentPiece, _ *resolver.Runner) {
	p.refunds = func(context.Context, string) ([]resolver.Change, error) { return nil, resolver.ErrTimeout }
}

// everyRecordDiffers reads the record of another ticket's refund.
func everyRecordDiffers(p *paymentPiece, _ *resolver.Runner) {
	p.readBack = func(ctx context.Context, recordID string) (resolver.Change, bool, error) {
		c, found, err := p.Payment.ReadBack(ctx, recordID)
		c.TicketID = "T-00000"
		return c, found, err
	}
}

func differenceOfNothing(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, load: func(st *resolver.TaskState) {
		for i := range st.Operations {
			if op := &st.Operations[i]; op.Status == resolver.OperationPending {
				op.Status, op.Error = resolver.OperationUnknown, "record of an earlier process is not as asked"
			}
		}
	}}
}

func refusalSettlesNothing(p *paymentPiece, _ *resolver.Runner) {
	refused := false
	p.refund = func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
		c, err := p.Payment.RequestRefund(ctx, w)
		var no *resolver.RefusedError
		refused = errors.As(err, &no)
		return c, err
	}
	p.operation = func(ctx context.Context, id string) (resolver.Change, bool, error) {
		if refused {
			return resolver.Change{}, false, resolver.ErrTimeout
		}
		return p.Payment.Operation(ctx, id)
	}
}
