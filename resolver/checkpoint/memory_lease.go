package checkpoint

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// Acquire takes the lease of a run.
func (m *Memory) Acquire(ctx context.Context, runID string, holder resolver.Holder, ttl time.Duration) (resolver.Lease, error) {
	var taken resolver.Lease
	err := m.write(ctx, "acquire", runID, func(now time.Time) error {
		if err := checkTTL(ttl); err != nil {
			return err
		}
		if _, ok := m.rowAt(runID); !ok {
			return resolver.ErrUnknownRun
		}
		row, at := m.leaseAt(runID)
		next, err := row.take(holder, now, ttl, m.opts.Alive)
		if err != nil {
			return err
		}
		if row.Token == 0 {
			m.img.Leases = slices.Insert(m.img.Leases, at, next)
		} else {
			m.img.Leases[at] = next
		}
		taken = next.lease()
		taken.Stalled = row.stalled(m.opts.Alive)
		return nil
	})
	if err != nil {
		return resolver.Lease{}, err
	}
	return taken, nil
}

// Renew lengthens a lease that is still ours.
func (m *Memory) Renew(ctx context.Context, lease resolver.Lease, ttl time.Duration) (resolver.Lease, error) {
	var renewed LeaseRow
	err := m.write(ctx, "renew", lease.RunID, func(now time.Time) error {
		if err := checkTTL(ttl); err != nil {
			return err
		}
		row, at := m.leaseAt(lease.RunID)
		next, err := row.renew(lease, now, ttl)
		if err != nil {
			return err
		}
		m.img.Leases[at], renewed = next, next
		return nil
	})
	if err != nil {
		return resolver.Lease{}, err
	}
	return renewed.lease(), nil
}

// Release gives a lease back.
func (m *Memory) Release(ctx context.Context, lease resolver.Lease) error {
	return m.write(ctx, "release", lease.RunID, func(time.Time) error {
		if row, at := m.leaseAt(lease.RunID); row.covers(lease) == nil {
			m.img.Leases[at] = row.freed()
		}
		return nil
	})
}

// leaseAt returns the row of a lease and its place; for a lease that was never taken, a released one
// with token 0 and the place where it belongs.
func (m *Memory) leaseAt(runID string) (LeaseRow, int) {
	at, ok := slices.BinarySearchFunc(m.img.Leases, runID, func(l LeaseRow, id string) int { return strings.Compare(l.RunID, id) })
	if !ok {
		return LeaseRow{RunID: runID}, at
	}
	return m.img.Leases[at], at
}
