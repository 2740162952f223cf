package sqlfault

import (
	"context"
	"database/sql/driver"

	"github.com/paytwice/paytwice/faults"
)

// tx is a wrapped transaction. It asks the injector that its begin asked: Commit has no context.
type tx struct {
	inner driver.Tx
	conn  *conn
	in    *faults.Injector
}

// holds remembers the open transaction, so that a crash can end it; nil when it ends otherwise.
func (c *conn) holds(inner driver.Tx, err error) {
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tx = inner
}

func (t *tx) Commit() error   { return t.end(opCommit, t.inner.Commit) }
func (t *tx) Rollback() error { return t.end(opRollback, t.inner.Rollback) }

// Unwrap returns the transaction that is wrapped.
func (t *tx) Unwrap() driver.Tx { return t.inner }

func (t *tx) end(operation string, do func() error) error {
	in := t.in
	if in == nil {
		in = t.conn.injector(context.Background())
	}
	if in == nil {
		return t.conn.past(nil, operation, do)
	}
	defer func() {
		if in.Dead() {
			t.conn.abandon()
		}
	}()
	return t.conn.past(in, operation, func() error {
		t.conn.holds(nil, nil)
		return do()
	})
}
