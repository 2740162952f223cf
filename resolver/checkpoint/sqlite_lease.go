package checkpoint

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

var leaseColumns = []string{"token", "host", "pid", "started", "expires_at"}

func (c *columns) lease(runID string) LeaseRow {
	return LeaseRow{
		RunID: runID, Token: c.number("token"),
		Holder:    resolver.Holder{Host: c.text("host"), PID: c.count("pid"), Started: c.text("started")},
		ExpiresAt: c.moment("expires_at"),
	}
}

// Acquire takes the lease of a run.
func (s *SQLite) Acquire(ctx context.Context, runID string, holder resolver.Holder, ttl time.Duration) (resolver.Lease, error) {
	stalled := false
	next, err := s.changeLease(ctx, runID, ttl, func(row LeaseRow, known bool, now time.Time) (LeaseRow, error) {
		if !known {
			return LeaseRow{}, resolver.ErrUnknownRun
		}
		stalled = row.stalled(s.opts.Alive)
		return row.take(holder, now, ttl, s.opts.Alive)
	})
	if err != nil {
		return resolver.Lease{}, s.fail("acquire", runID, err)
	}
	lease := next.lease()
	lease.Stalled = stalled
	return lease, nil
}

// Renew lengthens a lease that is still ours.
func (s *SQLite) Renew(ctx context.Context, lease resolver.Lease, ttl time.Duration) (resolver.Lease, error) {
	next, err := s.changeLease(ctx, lease.RunID, ttl, func(row LeaseRow, _ bool, now time.Time) (LeaseRow, error) {
		return row.renew(lease, now, ttl)
	})
	if err != nil {
		return resolver.Lease{}, s.fail("renew", lease.RunID, err)
	}
	return next.lease(), nil
}

// Release gives a lease back.
func (s *SQLite) Release(ctx context.Context, lease resolver.Lease) error {
	const anyTTL = time.Second // A release has none.
	_, err := s.changeLease(ctx, lease.RunID, anyTTL, func(row LeaseRow, _ bool, _ time.Time) (LeaseRow, error) {
		if row.covers(lease) != nil {
			return row, nil
		}
		return row.freed(), nil
	})
	return s.fail("release", lease.RunID, err)
}

// changeLease puts the row that next returns in the place of the stored one, unless they are the same.
func (s *SQLite) changeLease(ctx context.Context, runID string, ttl time.Duration, next func(row LeaseRow, known bool, now time.Time) (LeaseRow, error)) (LeaseRow, error) {
	if err := checkTTL(ttl); err != nil {
		return LeaseRow{}, err
	}
	var want LeaseRow
	err := s.write(ctx, func(ctx context.Context, c *sql.Conn) error {
		_, row, err := readForSave(ctx, c, runID)
		known := !errors.Is(err, resolver.ErrUnknownRun)
		if err != nil && known {
			return err
		}
		row.RunID = runID
		if want, err = next(row, known, s.opts.now()); err != nil || want == row {
			return err
		}
		_, err = c.ExecContext(ctx, `INSERT OR REPLACE INTO leases (run_id, token, host, pid, started, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
			runID, want.Token, want.Holder.Host, want.Holder.PID, want.Holder.Started, timeText(want.ExpiresAt))
		return err
	}, func(ctx context.Context) (bool, error) {
		row, err := s.leaseRow(ctx, runID)
		return err == nil && sameLease(row, want), err
	})
	return want, err
}

func sameLease(a, b LeaseRow) bool {
	return a.Token == b.Token && a.Holder == b.Holder && a.ExpiresAt.Equal(b.ExpiresAt)
}

func (s *SQLite) leaseRow(ctx context.Context, runID string) (LeaseRow, error) {
	c, err := scanColumns(leaseColumns, s.db.QueryRowContext(ctx, `SELECT token, host, pid, started, expires_at FROM leases WHERE run_id = ?`, runID).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return LeaseRow{RunID: runID}, nil
	}
	if err != nil {
		return LeaseRow{}, err
	}
	return c.lease(runID), c.err
}
