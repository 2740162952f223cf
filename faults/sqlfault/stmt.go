package sqlfault

import (
	"context"
	"database/sql/driver"
)

// stmt is the part of a wrapped prepared statement that every one has.
type stmt struct {
	inner driver.Stmt
	conn  *conn
	query string
}

// stmt returns a statement with exactly the optional interfaces of the inner one.
func (c *conn) stmt(inner driver.Stmt, query string, err error) (driver.Stmt, error) {
	if err != nil {
		return nil, err
	}
	s := &stmt{inner, c, query}
	c.mu.Lock()
	if c.stmts != nil {
		c.stmts[s] = struct{}{}
	}
	c.mu.Unlock()
	return stmtCombinations[stmtParts(inner)](s), nil
}

// Close closes the inner statement, unless it went with its connection.
func (s *stmt) Close() error {
	c := s.conn
	c.mu.Lock()
	_, open := c.stmts[s]
	delete(c.stmts, s)
	c.mu.Unlock()
	if !open {
		return nil
	}
	return s.inner.Close()
}

func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.conn.exec(context.Background(), s.query, func() (driver.Result, error) {
		return s.inner.Exec(args) //nolint:staticcheck // part of the interface
	})
}

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.conn.query(context.Background(), s.query, func() (driver.Rows, error) {
		return s.inner.Query(args) //nolint:staticcheck // part of the interface
	})
}

// One type for each optional interface of a statement, as parts.go has for connections.

func stmtParts(inner driver.Stmt) (mask int) {
	if _, ok := inner.(driver.StmtExecContext); ok {
		mask |= 1
	}
	if _, ok := inner.(driver.StmtQueryContext); ok {
		mask |= 2
	}
	if _, ok := inner.(driver.NamedValueChecker); ok {
		mask |= 4
	}
	if _, ok := inner.(driver.ColumnConverter); ok { //nolint:staticcheck // drivers still have it
		mask |= 8
	}
	return mask
}

type stmtBase struct{ s *stmt }

func (p *stmtBase) Close() error                                    { return p.s.Close() }
func (p *stmtBase) NumInput() int                                   { return p.s.inner.NumInput() }
func (p *stmtBase) Exec(args []driver.Value) (driver.Result, error) { return p.s.Exec(args) }
func (p *stmtBase) Query(args []driver.Value) (driver.Rows, error)  { return p.s.Query(args) }

// Unwrap returns the statement that is wrapped.
func (p *stmtBase) Unwrap() driver.Stmt { return p.s.inner }

type stmtExecContext struct{ s *stmt }

//go:noinline
func (p *stmtExecContext) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return p.s.conn.exec(ctx, p.s.query, func() (driver.Result, error) {
		return p.s.inner.(driver.StmtExecContext).ExecContext(ctx, args)
	})
}

type stmtQueryContext struct{ s *stmt }

//go:noinline
func (p *stmtQueryContext) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return p.s.conn.query(ctx, p.s.query, func() (driver.Rows, error) {
		return p.s.inner.(driver.StmtQueryContext).QueryContext(ctx, args)
	})
}

type stmtNamedValueChecker struct{ s *stmt }

//go:noinline
func (p *stmtNamedValueChecker) CheckNamedValue(v *driver.NamedValue) error {
	return p.s.inner.(driver.NamedValueChecker).CheckNamedValue(v)
}

type columnConverter struct{ s *stmt }

//go:noinline
func (p *columnConverter) ColumnConverter(index int) driver.ValueConverter {
	return p.s.inner.(driver.ColumnConverter).ColumnConverter(index) //nolint:staticcheck // drivers still have it
}
