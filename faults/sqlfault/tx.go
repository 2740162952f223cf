package sqlfault

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/sqltext"
)

// tx is a wrapped transaction. It asks the injector that its begin asked: Commit has no context.
type tx struct {
	inner driver.Tx
	conn  *conn
	in    *faults.Injector
}

func (t *tx) Commit() error   { return t.end(sqltext.Commit, t.inner.Commit) }
func (t *tx) Rollback() error { return t.end(sqltext.Rollback, t.inner.Rollback) }

// Unwrap returns the transaction that is wrapped.
func (t *tx) Unwrap() driver.Tx { return t.inner }

// end ends the transaction. One whose end a fault kept back is rolled back, as a database does that hears
// no more of it: database/sql never ends a transaction twice.
func (t *tx) end(operation string, do func() error) error {
	in := t.in
	if in == nil {
		in = t.conn.injector(context.Background())
	}
	made := false
	struck, err := t.conn.past(in, operation, func() error { made = true; return do() })
	if !made && (struck != "" || errors.Is(err, driver.ErrBadConn)) {
		_ = t.inner.Rollback()
	}
	return err
}
