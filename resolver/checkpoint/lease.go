package checkpoint

import (
	"fmt"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// LeaseRow is the stored side of a lease. A row stays after a release, so that its token is never given
// out again; ExpiresAt is zero then and there is no holder.
type LeaseRow struct {
	RunID     string
	Token     int64
	Holder    resolver.Holder
	ExpiresAt time.Time
}

func (r LeaseRow) released() bool { return r.ExpiresAt.IsZero() }

// heldAt reports whether nobody else may take the lease now. A lease ends at its expiry, not after it.
func (r LeaseRow) heldAt(now time.Time, alive func(resolver.Holder) bool) bool {
	return !r.released() && now.Before(r.ExpiresAt) && alive(r.Holder)
}

// take returns the row as it is once holder has the lease.
//
// The token alone is the claim, never the holder: a process that holds the lease already is refused like
// any other, or two of its goroutines would both believe that they have it.
//
// Errors: *resolver.LeaseHeldError.
func (r LeaseRow) take(holder resolver.Holder, now time.Time, ttl time.Duration, alive func(resolver.Holder) bool) (LeaseRow, error) {
	if r.heldAt(now, alive) {
		return LeaseRow{}, &resolver.LeaseHeldError{RunID: r.RunID, Holder: r.Holder, Until: r.ExpiresAt}
	}
	return LeaseRow{RunID: r.RunID, Token: r.Token + 1, Holder: holder, ExpiresAt: now.Add(ttl)}, nil
}

// stalled reports whether the holder may still be alive. Who takes its lease has waited for the expiry.
func (r LeaseRow) stalled(alive func(resolver.Holder) bool) bool {
	return !r.released() && alive(r.Holder)
}

// renew returns the row with a later expiry, never an earlier one. A lease that ran out and that nobody
// took is still ours.
//
// Errors: resolver.ErrLeaseLost.
func (r LeaseRow) renew(lease resolver.Lease, now time.Time, ttl time.Duration) (LeaseRow, error) {
	if err := r.covers(lease); err != nil {
		return LeaseRow{}, err
	}
	if until := now.Add(ttl); until.After(r.ExpiresAt) {
		r.ExpiresAt = until
	}
	return r, nil
}

// covers says whether a lease is the one in the row. Time plays no part: the token tells whether
// somebody else came.
//
// Errors: resolver.ErrLeaseLost.
func (r LeaseRow) covers(lease resolver.Lease) error {
	switch {
	case lease.Token <= 0 || lease.RunID != r.RunID:
		return fmt.Errorf("no lease of this run was given: %w", resolver.ErrLeaseLost)
	case r.Token == lease.Token && !r.released():
		return nil
	case r.released():
		return fmt.Errorf("token %d was given back: %w", lease.Token, resolver.ErrLeaseLost)
	default:
		return fmt.Errorf("token %d, now %d of %s: %w", lease.Token, r.Token, r.Holder, resolver.ErrLeaseLost)
	}
}

func (r LeaseRow) freed() LeaseRow { return LeaseRow{RunID: r.RunID, Token: r.Token} }

func (r LeaseRow) lease() resolver.Lease {
	return resolver.Lease{RunID: r.RunID, Holder: r.Holder, Token: r.Token, ExpiresAt: r.ExpiresAt}
}

func checkTTL(ttl time.Duration) error {
	if ttl <= 0 {
		return fmt.Errorf("%w: a lease of %s", ErrBadArgument, ttl)
	}
	return nil
}

// mayReplace says whether a save under lease, based on version, may replace a row. When both the version
// and the lease are wrong the error wraps both: that is what a stalled process meets.
func mayReplace(stored, version int64, row LeaseRow, lease resolver.Lease) error {
	lost := row.covers(lease)
	if stored == version {
		return lost
	}
	stale := fmt.Errorf("version %d, now %d: %w", version, stored, resolver.ErrStale)
	if lost == nil {
		return stale
	}
	return fmt.Errorf("%w; %w", stale, lost)
}
