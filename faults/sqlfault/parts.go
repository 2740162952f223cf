package sqlfault

import (
	"context"
	"database/sql/driver"
)

// One type for what every connection has and one for each optional interface. combinations.go embeds those
// that the inner connection has; a bit of the mask stands for each, in the order of this file. Their methods
// have pointers as receivers and are not inlined, which keeps a thousand combinations cheap to compile.

//go:generate go run ../internal/sqlcombine

func connParts(inner driver.Conn) (mask int) {
	set := func(bit int, ok bool) {
		if ok {
			mask |= 1 << bit
		}
	}
	_, ok := inner.(driver.Pinger)
	set(0, ok)
	_, ok = inner.(driver.ExecerContext)
	set(1, ok)
	_, ok = inner.(driver.Execer) //nolint:staticcheck // drivers still have it
	set(2, ok)
	_, ok = inner.(driver.QueryerContext)
	set(3, ok)
	_, ok = inner.(driver.Queryer) //nolint:staticcheck // drivers still have it
	set(4, ok)
	_, ok = inner.(driver.ConnPrepareContext)
	set(5, ok)
	_, ok = inner.(driver.ConnBeginTx)
	set(6, ok)
	_, ok = inner.(driver.SessionResetter)
	set(7, ok)
	_, ok = inner.(driver.Validator)
	set(8, ok)
	_, ok = inner.(driver.NamedValueChecker)
	set(9, ok)
	return mask
}

type connBase struct{ c *conn }

//go:noinline
func (p *connBase) Prepare(query string) (driver.Stmt, error) { return p.c.Prepare(query) }

//go:noinline
func (p *connBase) Close() error { return p.c.Close() }

//go:noinline
func (p *connBase) Begin() (driver.Tx, error) { return p.c.Begin() }

// Unwrap returns the connection that is wrapped.
//
//go:noinline
func (p *connBase) Unwrap() driver.Conn { return p.c.inner }

type pinger struct{ c *conn }

//go:noinline
func (p *pinger) Ping(ctx context.Context) error {
	if err := p.c.refusal(ctx); err != nil {
		return err
	}
	return p.c.inner.(driver.Pinger).Ping(ctx)
}

type execerContext struct{ c *conn }

//go:noinline
func (p *execerContext) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return p.c.exec(ctx, query, func() (driver.Result, error) {
		return p.c.inner.(driver.ExecerContext).ExecContext(ctx, query, args)
	})
}

type execer struct{ c *conn }

//go:noinline
func (p *execer) Exec(query string, args []driver.Value) (driver.Result, error) {
	return p.c.exec(context.Background(), query, func() (driver.Result, error) {
		return p.c.inner.(driver.Execer).Exec(query, args) //nolint:staticcheck // drivers still have it
	})
}

type queryerContext struct{ c *conn }

//go:noinline
func (p *queryerContext) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return p.c.query(ctx, query, func() (driver.Rows, error) {
		return p.c.inner.(driver.QueryerContext).QueryContext(ctx, query, args)
	})
}

type queryer struct{ c *conn }

//go:noinline
func (p *queryer) Query(query string, args []driver.Value) (driver.Rows, error) {
	return p.c.query(context.Background(), query, func() (driver.Rows, error) {
		return p.c.inner.(driver.Queryer).Query(query, args) //nolint:staticcheck // drivers still have it
	})
}

type prepareContext struct{ c *conn }

//go:noinline
func (p *prepareContext) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := p.c.refusal(ctx); err != nil {
		return nil, err
	}
	inner, err := p.c.inner.(driver.ConnPrepareContext).PrepareContext(ctx, query)
	return p.c.stmt(inner, query, err)
}

type beginTx struct{ c *conn }

//go:noinline
func (p *beginTx) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	return p.c.begin(ctx, func() (driver.Tx, error) {
		return p.c.inner.(driver.ConnBeginTx).BeginTx(ctx, opts)
	})
}

type sessionResetter struct{ c *conn }

//go:noinline
func (p *sessionResetter) ResetSession(ctx context.Context) error {
	if err := p.c.refusal(ctx); err != nil {
		return driver.ErrBadConn // the only error that the interface knows
	}
	return p.c.inner.(driver.SessionResetter).ResetSession(ctx)
}

type validator struct{ c *conn }

//go:noinline
func (p *validator) IsValid() bool {
	return !p.c.gone.Load() && p.c.inner.(driver.Validator).IsValid()
}

type namedValueChecker struct{ c *conn }

//go:noinline
func (p *namedValueChecker) CheckNamedValue(v *driver.NamedValue) error {
	return p.c.inner.(driver.NamedValueChecker).CheckNamedValue(v)
}
