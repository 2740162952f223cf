package planted

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

// keyBugs name one intent by more than one key, or two payloads by one.
func keyBugs() []Bug {
	return []Bug{
		{Name: "new-id-on-resume", Doc: "makes the id anew in every process",
			Invariant: "key-payload", Mode: Kill, Crashes: 2, Planting: paying(idOfTheProcess)},
		{Name: "id-from-the-attempt", Doc: "the attempt's number is part of the id",
			Invariant: "double-write", Provider: "transient-flag", Faults: []string{"lose-response"}, Crashes: 1, Planting: paying(idOfTheAttempt)},
		{Name: "id-from-the-clock", Doc: "the time of the call is part of the id",
			Invariant: "double-write", Provider: "transient-flag", Crashes: 2, Planting: paying(idOfTheClock)},
		{Name: "id-from-a-row", Doc: "the id is the number of a row that is written again before each call",
			Invariant: "double-write", Provider: "transient-flag", Crashes: 2, Planting: planting(idOfTheRow)},
		{Name: "body-built-again", Doc: "the amount is worked out again for each request, from something that changes",
			Invariant: "key-payload", Crashes: 2, Planting: paying(bodyBuiltAgain)},
		{Name: "key-thought-eternal", Doc: "calls again under a key that the service has forgotten by then",
			Invariant: "double-write", Provider: "replay-all", Faults: []string{"advance 25h"}, Crashes: 2, Planting: paying(keyThoughtEternal)},
	}
}

// keyed makes the requests under keys of its own.
func keyed(p *paymentPiece, key func(id string) string) {
	p.refund = func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
		w.Key = key(w.Key)
		return p.Payment.RequestRefund(ctx, w)
	}
}

func idOfTheProcess(p *paymentPiece, r *resolver.Runner) {
	keyed(p, func(id string) string { return id + "-" + r.Holder.Started })
}

func idOfTheAttempt(p *paymentPiece, _ *resolver.Runner) {
	n := 0
	keyed(p, func(id string) string { n++; return fmt.Sprintf("%s-%d", id, n) })
}

func idOfTheClock(p *paymentPiece, r *resolver.Runner) {
	keyed(p, func(id string) string { return fmt.Sprintf("%s-%d", id, r.Clock.Now().Unix()) })
}

func idOfTheRow(r *resolver.Runner, _ scenarios.Bench) {
	row := int64(0)
	inner := r.Store
	r.Store = &storePiece{Store: inner, save: func(ctx context.Context, s *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		err := inner.Save(ctx, s, lease, trail...)
		row = s.Version
		return err
	}}
	p := &paymentPiece{Payment: r.Services.Payment}
	keyed(p, func(string) string { return fmt.Sprintf("row-%d", row) })
	r.Services.Payment = p
}

func bodyBuiltAgain(p *paymentPiece, r *resolver.Runner) {
	p.refund = func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
		w.Action.AmountCents -= int64(r.Clock.Now().Second())
		return p.Payment.RequestRefund(ctx, w)
	}
}

func keyThoughtEternal(p *paymentPiece, _ *resolver.Runner) {
	p.can = func(c resolver.Capabilities) resolver.Capabilities {
		c.KeyTTL, c.Lookup = 0, false
		return c
	}
}
