package sqlfault

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/seam"
)

// conn is the part of a wrapped connection that every one has.
type conn struct {
	inner driver.Conn
	w     *wrapper

	mu     sync.Mutex
	gone   bool // of no use any more: its life crashed, or an answer on it was lost
	closed bool
	tx     driver.Tx
	stmts  map[*stmt]struct{}
}

// newConn returns a connection with exactly the optional interfaces of the inner one.
func newConn(inner driver.Conn, w *wrapper) driver.Conn {
	return connCombinations[connParts(inner)](&conn{inner: inner, w: w, stmts: map[*stmt]struct{}{}})
}

// Close closes the inner connection, crashed or not: that is what the end of a process does.
func (c *conn) Close() error {
	c.mu.Lock()
	closed := c.closed
	c.gone, c.closed = true, true
	c.mu.Unlock()
	if closed {
		return nil
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

// errDead makes database/sql throw away the connection of a dead process.
var errDead = fmt.Errorf("%w (%w)", faults.ErrCrashed, driver.ErrBadConn)

// injector returns the one to ask, nil when none is armed.
func (c *conn) injector(ctx context.Context) *faults.Injector { return seam.Injector(c.w.in, ctx) }

// refusal returns why a call that has no points may not be made.
func (c *conn) refusal(ctx context.Context) error {
	if in := c.injector(ctx); in != nil && in.Dead() {
		c.drop()
		return errDead
	}
	if c.isGone() {
		return driver.ErrBadConn
	}
	return nil
}

func (c *conn) isGone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// around makes a call past its points, and drops the connection when a crash or a fault is its end.
func (c *conn) around(in *faults.Injector, operation string, do func() error) error {
	if c.isGone() {
		if in.Dead() {
			return errDead
		}
		return driver.ErrBadConn
	}
	defer func() {
		if in.Dead() {
			c.drop()
		}
	}()
	struck, err := seam.Around(in, faults.Site{Seam: "sql", Operation: operation}, do)
	switch {
	case errors.Is(err, faults.ErrCrashed):
		return errDead
	case struck == faults.LoseRequest || struck == faults.LoseResponse:
		c.drop()
		if c.w.badConn {
			return driver.ErrBadConn
		}
	case struck != "" && (operation == opCommit || operation == opRollback):
		c.drop() // nobody else will end the transaction
	}
	return err
}

// drop makes the connection useless and rolls its transaction back, as the database does when it sees a
// process or a socket die. It is left to database/sql to close, since rows may be open on it.
func (c *conn) drop() {
	c.mu.Lock()
	tx := c.tx
	c.gone, c.tx = true, nil
	c.mu.Unlock()
	if tx != nil {
		_ = tx.Rollback()
	}
}

// abandon closes a dropped connection with its statements, where database/sql never will: it doesn't take
// back a connection whose commit panics. No rows are open then.
func (c *conn) abandon() {
	c.mu.Lock()
	stmts := c.stmts
	c.stmts = nil
	c.mu.Unlock()
	for s := range stmts {
		_ = s.inner.Close()
	}
	_ = c.Close()
}

func (c *conn) begin(ctx context.Context, begin func() (driver.Tx, error)) (driver.Tx, error) {
	in := c.injector(ctx)
	var inner driver.Tx
	do := func() (err error) { inner, err = begin(); c.holds(inner, err); return err }
	if err := c.past(in, opBegin, do); err != nil {
		return nil, err
	}
	return &tx{inner, c, in}, nil
}

// past makes a call past its points, where an injector is armed.
func (c *conn) past(in *faults.Injector, operation string, do func() error) error {
	if in != nil {
		return c.around(in, operation, do)
	}
	if c.isGone() {
		return driver.ErrBadConn
	}
	return do()
}

// call makes a statement's call past the points that its text asks for.
func (c *conn) call(ctx context.Context, query, otherwise string, do func() error) error {
	in := c.injector(ctx)
	if in != nil {
		otherwise = operation(query, otherwise)
	}
	return c.past(in, otherwise, do)
}

func (c *conn) exec(ctx context.Context, query string, do func() (driver.Result, error)) (result driver.Result, err error) {
	err = c.call(ctx, query, opExec, func() (err error) { result, err = do(); return err })
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (c *conn) query(ctx context.Context, query string, do func() (driver.Rows, error)) (driver.Rows, error) {
	var rows driver.Rows
	seen := false
	defer func() {
		if !seen && rows != nil {
			_ = rows.Close() // the answer reaches nobody
		}
	}()
	if err := c.call(ctx, query, opQuery, func() (err error) { rows, err = do(); return err }); err != nil {
		return nil, err
	}
	seen = true
	return rows, nil
}
