package planted

import (
	"context"
	"errors"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// leaseBugs go on beside another process, or against it.
func leaseBugs() []Bug {
	return []Bug{
		{Name: "held-lease-ignored", Doc: "goes on although a live process holds the lease: one approval is used twice",
			Invariant: "unapproved-write", Provider: "no-key", Faults: []string{"resumers 2"}, Crashes: 1, Planting: storing(heldLeaseIgnored)},
		{Name: "lease-without-fencing", Doc: "waits a live holder's lease out, and nobody compares tokens afterwards",
			Invariant: "double-write", Provider: "no-key", Faults: []string{"resumers 2"}, Crashes: 1, Planting: storing(leaseWithoutFencing)},
		{Name: "newer-save-overwritten", Doc: "writes its state over a newer one",
			Invariant: "status-back", Faults: []string{"pause 2m"}, Crashes: 1, Planting: storing(newerOverwritten)},
		{Name: "loser-compensates", Doc: "takes back the change when it has lost the race, also where the change is the winner's",
			Invariant: "foreign-undo", Provider: "cancel-by-key", Faults: []string{"pause 2m"}, Crashes: 1, Planting: planting(loserCompensates)},
	}
}

func lostRace(err error) bool {
	return errors.Is(err, resolver.ErrLeaseLost) || errors.Is(err, resolver.ErrStale)
}

// unfenced keeps nobody's saves back, and tells nobody.
func unfenced(s resolver.Store) *storePiece {
	return &storePiece{Store: s,
		save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
			if err := s.Save(ctx, st, lease, trail...); !lostRace(err) {
				return err
			}
			return nil
		},
		renew: func(_ resolver.Lease, err error) error {
			if lostRace(err) {
				return nil
			}
			return err
		},
	}
}

func heldLeaseIgnored(s resolver.Store, _ *resolver.Runner) resolver.Store {
	p := unfenced(s)
	p.acquire = func(_ context.Context, runID string, take func() (resolver.Lease, error)) (resolver.Lease, error) {
		lease, err := take()
		var held *resolver.LeaseHeldError
		if errors.As(err, &held) {
			return resolver.Lease{RunID: runID, ExpiresAt: held.Until}, nil
		}
		return lease, err
	}
	return p
}

func leaseWithoutFencing(s resolver.Store, r *resolver.Runner) resolver.Store {
	p := unfenced(s)
	p.acquire = func(ctx context.Context, _ string, take func() (resolver.Lease, error)) (resolver.Lease, error) {
		lease, err := take()
		var held *resolver.LeaseHeldError
		if !errors.As(err, &held) {
			return lease, err
		}
		if err := r.Clock.Wait(ctx, held.Until.Sub(r.Clock.Now())); err != nil {
			return lease, err
		}
		return take()
	}
	return p
}

func newerOverwritten(s resolver.Store, r *resolver.Runner) resolver.Store {
	overwrite := func(ctx context.Context, st *resolver.TaskState, trail []resolver.TrailEntry) error {
		newer, err := s.Load(ctx, st.RunID)
		if err != nil {
			return err
		}
		lease, err := s.Acquire(ctx, st.RunID, r.Holder, resolver.DefaultLeaseTTL)
		if err != nil {
			return err
		}
		st.Version = newer.Version
		return errors.Join(s.Save(ctx, st, lease, trail...), s.Release(ctx, lease))
	}
	p := unfenced(s)
	p.save = func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		err := s.Save(ctx, st, lease, trail...)
		if lostRace(err) {
			return overwrite(ctx, st, trail)
		}
		return err
	}
	return p
}

func loserCompensates(r *resolver.Runner, b scenarios.Bench) {
	var made *seams.Undo
	pay := &paymentPiece{Payment: r.Services.Payment}
	pay.refund = func(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
		c, err := pay.Payment.RequestRefund(ctx, w)
		if err == nil {
			made = &seams.Undo{Undoes: w.Key, Key: w.Key}
			if !c.Repeated {
				made.Owner = w.Key
			}
		}
		return c, err
	}
	undo := func(ctx context.Context, err error) error {
		if lostRace(err) && made != nil && b.Cancel != nil {
			return errors.Join(err, b.Seat.Cancel(ctx, *made, func(ctx context.Context) error { return b.Cancel(ctx, made.Key) }))
		}
		return err
	}
	inner := r.Store
	r.Services.Payment = pay
	r.Store = &storePiece{Store: inner,
		save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
			return undo(ctx, inner.Save(ctx, st, lease, trail...))
		},
		renew: func(_ resolver.Lease, err error) error { return undo(context.Background(), err) },
	}
}
