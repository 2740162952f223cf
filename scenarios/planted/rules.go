package planted

import (
	"context"
	"slices"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/scenarios"
)

// ruleBugs leave out or mix up what the approval relied on.
func ruleBugs() []Bug {
	return []Bug{
		{Name: "check-before-the-look-up", Doc: "checks for an earlier refund first, and takes its own for a colleague's",
			Invariant: "state-mismatch", Crashes: 2, Planting: paying(ownIsARival)},
		{Name: "no-check-before-the-call", Doc: "does not look whether somebody refunded the same thing meanwhile",
			Invariant: "same-reason", Faults: []string{"world " + scenarios.ColleagueRefunds}, Crashes: 1,
			Planting: strategic(func(s *resolver.Strategy) { s.Careful = false })},
		{Name: "cents-for-dollars", Doc: "program and service count in cents what everybody else counts in dollars",
			Invariant: "over-capture", Crashes: 1, Planting: centsForDollars()},
	}
}

// ownIsARival asks after the check: by then a refund of its own is on the list, and has no name there.
func ownIsARival(p *paymentPiece, _ *resolver.Runner) {
	p.operation = func(context.Context, string) (resolver.Change, bool, error) { return resolver.Change{}, false, nil }
	p.refunds = func(ctx context.Context, orderID string) ([]resolver.Change, error) {
		list, err := p.Payment.GetRefunds(ctx, orderID)
		list = slices.Clone(list)
		for i := range list {
			list[i].OperationID = ""
		}
		return list, err
	}
}

func centsForDollars() scenarios.Planting {
	p := paying(func(p *paymentPiece, _ *resolver.Runner) {
		p.refund = func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
			w.Action.AmountCents *= 100
			return p.Payment.RequestRefund(ctx, w)
		}
	})
	p.Data = func(d *larkfield.Data) *larkfield.Data {
		c := *d
		c.Payments = slices.Clone(d.Payments)
		for i := range c.Payments {
			c.Payments[i].AmountCents *= 100
		}
		return &c
	}
	return p
}
