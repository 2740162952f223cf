package sqlfault

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/seam"
	"github.com/paytwice/paytwice/faults/internal/sqltext"
)

// conn is the part of a wrapped connection that every one has.
type conn struct {
	inner driver.Conn
	w     *wrapper
	// gone: of no use any more, since its life crashed or an answer on it was lost. database/sql hears of a
	// bad connection at the next use and closes it, which rolls back what was open.
	gone atomic.Bool

	mu    sync.Mutex
	stmts map[*stmt]struct{} // open ones; nil once the connection is closed
}

// newConn returns a connection with exactly the optional interfaces of the inner one.
func newConn(inner driver.Conn, w *wrapper) driver.Conn {
	return connCombinations[connParts(inner)](&conn{inner: inner, w: w, stmts: map[*stmt]struct{}{}})
}

// Close closes the inner connection, crashed or not, as the end of a process does, and its statements before it:
// after a bad connection database/sql closes them too late for some drivers.
func (c *conn) Close() error {
	c.mu.Lock()
	stmts := c.stmts
	c.stmts = nil
	c.mu.Unlock()
	for s := range stmts {
		_ = s.inner.Close()
	}
	return c.inner.Close()
}

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	if err := c.refusal(context.Background()); err != nil {
		return nil, err
	}
	inner, err := c.inner.Prepare(query)
	return c.stmt(inner, query, err)
}

func (c *conn) Begin() (driver.Tx, error) {
	return c.begin(context.Background(), c.inner.Begin) //nolint:staticcheck // a driver without BeginTx
}

// errDead makes database/sql close the connection of a dead process, as its end would.
var errDead error = deadError{}

type deadError struct{}

func (deadError) Error() string   { return faults.ErrCrashed.Error() }
func (deadError) Unwrap() []error { return []error{faults.ErrCrashed, driver.ErrBadConn} }

// injector returns the one to ask, nil when none is armed.
func (c *conn) injector(ctx context.Context) *faults.Injector { return seam.Injector(c.w.in, ctx) }

// refusal returns why a call that has no points may not be made.
func (c *conn) refusal(ctx context.Context) error {
	if in := c.injector(ctx); in != nil && in.Dead() {
		return errDead
	}
	if c.gone.Load() {
		return driver.ErrBadConn
	}
	return nil
}

// past makes a call past its points, where an injector is armed, and returns the fault that struck.
//
// A simulated crash comes back as an error: database/sql holds locks while it calls a driver, and a panic
// would leave them to the deferred Rollback of the life, which would wait for ever.
func (c *conn) past(in *faults.Injector, operation string, do func() error) (struck faults.Verb, err error) {
	if c.gone.Load() {
		if in != nil && in.Dead() {
			return "", errDead
		}
		return "", driver.ErrBadConn
	}
	if in == nil {
		return "", do()
	}
	_, crashed, err := faults.Catch(func() (err error) {
		struck, err = seam.Around(in, faults.Site{Seam: "sql", Operation: operation}, do)
		return err
	})
	switch {
	case crashed || errors.Is(err, faults.ErrCrashed):
		c.gone.Store(true)
		return "", errDead
	case struck == faults.LoseRequest || struck == faults.LoseResponse:
		c.gone.Store(true)
		if c.w.badConn {
			err = driver.ErrBadConn
		}
	case struck != "" && (operation == sqltext.Commit || operation == sqltext.Rollback):
		c.gone.Store(true) // nobody else will end the transaction
	}
	return struck, err
}

func (c *conn) begin(ctx context.Context, begin func() (driver.Tx, error)) (driver.Tx, error) {
	in := c.injector(ctx)
	var inner driver.Tx
	if _, err := c.past(in, sqltext.Begin, func() (err error) { inner, err = begin(); return err }); err != nil {
		if inner != nil {
			_ = inner.Rollback() // begun, and nobody knows
		}
		return nil, err
	}
	return &tx{inner, c, in}, nil
}

// call makes a statement's call past the points that its text asks for.
func (c *conn) call(ctx context.Context, query, otherwise string, do func() error) error {
	in := c.injector(ctx)
	if in != nil {
		otherwise = sqltext.Operation(query, otherwise)
	}
	_, err := c.past(in, otherwise, do)
	return err
}

func (c *conn) exec(ctx context.Context, query string, do func() (driver.Result, error)) (result driver.Result, err error) {
	if err := c.call(ctx, query, sqltext.Exec, func() (err error) { result, err = do(); return err }); err != nil {
		return nil, err
	}
	return result, nil
}

func (c *conn) query(ctx context.Context, query string, do func() (driver.Rows, error)) (rows driver.Rows, err error) {
	if err := c.call(ctx, query, sqltext.Query, func() (err error) { rows, err = do(); return err }); err != nil {
		if rows != nil {
			_ = rows.Close() // answered, and nobody saw it
		}
		return nil, err
	}
	return rows, nil
}
