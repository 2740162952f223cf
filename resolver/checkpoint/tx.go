package checkpoint

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// commitError marks an error of COMMIT itself: whether the change is there has to be found out.
type commitError struct{ err error }

func (e *commitError) Error() string { return e.err.Error() }
func (e *commitError) Unwrap() error { return e.err }

func commit(ctx context.Context, c *sql.Conn) error {
	_, err := c.ExecContext(ctx, `COMMIT`)
	return err
}

// inTx runs change in a transaction that holds the write lock from its start: one that began as a reader
// could find its view outdated at its first write, and fail after its checks had passed.
//
// Errors: those of change, with nothing changed; *commitError when only the commit failed.
func (s *SQLite) inTx(ctx context.Context, change func(context.Context, *sql.Conn) error) error {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	// Once begun it has to end, cancelled or not: the connection is used again.
	ending := context.WithoutCancel(ctx)
	open := true
	defer func() {
		if open { // Also after a panic, a BEGIN cut short and a failed COMMIT; an error says there was nothing to end.
			_, _ = c.ExecContext(ending, `ROLLBACK`)
		}
	}()
	if _, err := c.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	if err := change(ctx, c); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.commit(ending, c); err != nil {
		return &commitError{err}
	}
	open = false
	return nil
}

// write runs change in a transaction and, when the commit fails, asks landed whether the change is in the
// file all the same.
//
// Errors: an error means that nothing was changed, unless it wraps ErrOutcomeUnknown.
func (s *SQLite) write(ctx context.Context, change func(context.Context, *sql.Conn) error, landed func(context.Context) (bool, error)) error {
	err := s.inTx(ctx, change)
	var failed *commitError
	if !errors.As(err, &failed) {
		return err
	}
	there, readErr := landed(context.WithoutCancel(ctx))
	switch {
	case readErr != nil:
		return fmt.Errorf("%w (commit: %w; reading back: %w)", ErrOutcomeUnknown, failed.err, readErr)
	case there:
		return nil
	default:
		return failed.err
	}
}
