package planted

import (
	"context"
	"slices"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

// planting swaps a piece in every life.
func planting(tamper func(*resolver.Runner, scenarios.Bench)) scenarios.Planting {
	return scenarios.Planting{Tamper: tamper}
}

// storing swaps the store.
func storing(swap func(resolver.Store, *resolver.Runner) resolver.Store) scenarios.Planting {
	return planting(func(r *resolver.Runner, _ scenarios.Bench) { r.Store = swap(r.Store, r) })
}

// paying swaps the payment service as the program calls it.
func paying(swap func(*paymentPiece, *resolver.Runner)) scenarios.Planting {
	return planting(func(r *resolver.Runner, _ scenarios.Bench) {
		p := &paymentPiece{Payment: r.Services.Payment}
		swap(p, r)
		r.Services.Payment = p
	})
}

// strategic swaps a field of the strategy.
func strategic(swap func(*resolver.Strategy)) scenarios.Planting {
	return planting(func(r *resolver.Runner, _ scenarios.Bench) { swap(&r.Strategy) })
}

// storePiece is a store of which some calls do something else; a nil one does what the store does.
type storePiece struct {
	resolver.Store
	save    func(ctx context.Context, s *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error
	load    func(s *resolver.TaskState)
	acquire func(ctx context.Context, runID string, take func() (resolver.Lease, error)) (resolver.Lease, error)
	renew   func(lease resolver.Lease, err error) error
}

func (p *storePiece) Save(ctx context.Context, s *resolver.TaskState, lease resolver.Lease, trail ...resolver.TrailEntry) error {
	if p.save == nil {
		return p.Store.Save(ctx, s, lease, trail...)
	}
	return p.save(ctx, s, lease, trail)
}

func (p *storePiece) Load(ctx context.Context, runID string) (*resolver.TaskState, error) {
	s, err := p.Store.Load(ctx, runID)
	if err == nil && p.load != nil {
		p.load(s)
	}
	return s, err
}

func (p *storePiece) Acquire(ctx context.Context, runID string, holder resolver.Holder, ttl time.Duration) (resolver.Lease, error) {
	take := func() (resolver.Lease, error) { return p.Store.Acquire(ctx, runID, holder, ttl) }
	if p.acquire == nil {
		return take()
	}
	return p.acquire(ctx, runID, take)
}

func (p *storePiece) Renew(ctx context.Context, lease resolver.Lease, ttl time.Duration) (resolver.Lease, error) {
	renewed, err := p.Store.Renew(ctx, lease, ttl)
	if err == nil || p.renew == nil {
		return renewed, err
	}
	return lease, p.renew(lease, err)
}

// saveEdited saves another form of a state than the one in memory, which only learns its new version.
func saveEdited(ctx context.Context, to resolver.Store, s *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry, edit func(*resolver.TaskState)) error {
	c := *s
	c.Operations = slices.Clone(s.Operations)
	edit(&c)
	err := to.Save(ctx, &c, lease, trail...)
	s.Version, s.UpdatedAt = c.Version, c.UpdatedAt
	return err
}

// without returns the entries of a trail but those of one kind.
func without(trail []resolver.TrailEntry, what string) []resolver.TrailEntry {
	return slices.DeleteFunc(slices.Clone(trail), func(e resolver.TrailEntry) bool { return e.What == what })
}

// paymentPiece is a payment service of which some calls do something else.
type paymentPiece struct {
	resolver.Payment
	refund    func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error)
	operation func(ctx context.Context, id string) (resolver.Change, bool, error)
	refunds   func(ctx context.Context, orderID string) ([]resolver.Change, error)
	readBack  func(ctx context.Context, recordID string) (resolver.Change, bool, error)
	can       func(resolver.Capabilities) resolver.Capabilities
}

func (p *paymentPiece) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	if p.refund == nil {
		return p.Payment.RequestRefund(ctx, w)
	}
	return p.refund(ctx, w)
}

func (p *paymentPiece) Operation(ctx context.Context, id string) (resolver.Change, bool, error) {
	if p.operation == nil {
		return p.Payment.Operation(ctx, id)
	}
	return p.operation(ctx, id)
}

func (p *paymentPiece) GetRefunds(ctx context.Context, orderID string) ([]resolver.Change, error) {
	if p.refunds == nil {
		return p.Payment.GetRefunds(ctx, orderID)
	}
	return p.refunds(ctx, orderID)
}

func (p *paymentPiece) ReadBack(ctx context.Context, recordID string) (resolver.Change, bool, error) {
	if p.readBack == nil {
		return p.Payment.ReadBack(ctx, recordID)
	}
	return p.readBack(ctx, recordID)
}

func (p *paymentPiece) Capabilities() resolver.Capabilities {
	if p.can == nil {
		return p.Payment.Capabilities()
	}
	return p.can(p.Payment.Capabilities())
}
