// Package statements keeps what a database connection has compiled: a statement that is run again, as a
// store's few are, is not prepared anew each time, as database/sql does for a query that is given as text.
//
// Import rule: the standard library alone.
package statements

import (
	"context"
	"database/sql/driver"
	"fmt"
)

// Keep returns a connector whose connections keep each statement from its first use until they are closed,
// one for each text: for the fixed statements of a store, not for texts that are put together. A statement in
// use, such as one whose rows are being read, is prepared once more for a second user.
//
// Errors: Connect's, and one for a driver that lacks what a connection of this package passes on.
func Keep(c driver.Connector) driver.Connector { return connector{c} }

type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	raw, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := raw.(conn)
	if !ok {
		_ = raw.Close()
		return nil, fmt.Errorf("statements: the driver's connection %T lacks a method that is needed", raw)
	}
	return &keeper{conn: full, free: map[string]stmt{}}, nil
}

// conn is what database/sql asks of a connection beyond the statements.
type conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type stmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// keeper is a connection with the statements that are in no use. As of any connection, database/sql lets one
// goroutine use it at a time.
type keeper struct {
	conn
	free map[string]stmt
}

// Unwrap returns the driver's own connection.
func (k *keeper) Unwrap() driver.Conn { return k.conn }

// Close closes the statements, too.
func (k *keeper) Close() error {
	for _, s := range k.free {
		_ = s.Close() // What was wrong with it was said when it ran.
	}
	clear(k.free)
	return k.conn.Close()
}

func (k *keeper) take(ctx context.Context, query string) (stmt, error) {
	if s, ok := k.free[query]; ok {
		delete(k.free, query)
		return s, nil
	}
	raw, err := k.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s, ok := raw.(stmt)
	if !ok {
		_ = raw.Close()
		return nil, fmt.Errorf("statements: the driver's statement %T lacks a method that is needed", raw)
	}
	return s, nil
}

func (k *keeper) back(query string, s stmt) {
	if _, second := k.free[query]; second {
		_ = s.Close()
		return
	}
	k.free[query] = s
}

// ExecContext implements driver.ExecerContext.
func (k *keeper) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := k.take(ctx, query)
	if err != nil {
		return nil, err
	}
	defer k.back(query, s)
	return s.ExecContext(ctx, args)
}

// QueryContext implements driver.QueryerContext.
func (k *keeper) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := k.take(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := s.QueryContext(ctx, args)
	if err != nil {
		k.back(query, s)
		return nil, err
	}
	return &rows{r, func() { k.back(query, s) }}, nil
}

// rows gives its statement back once it is read.
type rows struct {
	driver.Rows
	back func()
}

func (r *rows) Close() error {
	err := r.Rows.Close()
	if r.back != nil {
		r.back()
		r.back = nil
	}
	return err
}
