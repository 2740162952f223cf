package sqlfault

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/seam"
)

// Option changes what a fault looks like.
type Option func(*options)

type options struct{ badConn bool }

// BadConn makes a lost request or response driver.ErrBadConn instead of faults.ErrNoAnswer. A driver may
// return it only when the database has executed nothing; drivers that return it after lose-response make
// database/sql send the statement again.
//
// Source: https://github.com/golang/go/issues/11978
func BadConn() Option { return func(o *options) { o.badConn = true } }

// Driver wraps a driver. Its calls ask the injector; with nil, the one that the call's context carries or
// that the process has armed, if any. Built with paytwice_off it returns the driver itself.
func Driver(d driver.Driver, in *faults.Injector, opts ...Option) driver.Driver {
	if faults.Off {
		return d
	}
	w := &wrapper{in, collect(opts)}
	base := &drv{d, w}
	if _, ok := d.(driver.DriverContext); ok {
		return struct {
			*drv
			driverContext
		}{base, driverContext{base}}
	}
	return base
}

// NewConnector wraps a connector as Driver wraps a driver. Its Driver method returns the inner driver.
func NewConnector(c driver.Connector, in *faults.Injector, opts ...Option) driver.Connector {
	if faults.Off {
		return c
	}
	return (&wrapper{in, collect(opts)}).connector(c)
}

// Open returns a database whose driver is wrapped. Nothing is connected yet.
//
// Errors: those of the driver about the data source name.
func Open(d driver.Driver, dsn string, in *faults.Injector, opts ...Option) (*sql.DB, error) {
	c, ok := d.(driver.DriverContext)
	if !ok {
		return sql.OpenDB(NewConnector(dsnConnector{d, dsn}, in, opts...)), nil
	}
	inner, err := c.OpenConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(NewConnector(inner, in, opts...)), nil
}

func collect(opts []Option) options {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// wrapper is what all connections of one driver or connector share.
type wrapper struct {
	in *faults.Injector
	options
}

func (w *wrapper) connector(c driver.Connector) driver.Connector {
	base := &connector{c, w}
	if closer, ok := c.(io.Closer); ok {
		return struct {
			*connector
			io.Closer
		}{base, closer}
	}
	return base
}

// conn wraps an opened connection, or passes on the error; a dead process opens none.
func (w *wrapper) conn(ctx context.Context, open func() (driver.Conn, error)) (driver.Conn, error) {
	if in := seam.Injector(w.in, ctx); in != nil && in.Dead() {
		return nil, faults.ErrCrashed
	}
	inner, err := open()
	if err != nil {
		return nil, err
	}
	return newConn(inner, w), nil
}

type drv struct {
	inner driver.Driver
	w     *wrapper
}

func (d *drv) Open(name string) (driver.Conn, error) {
	return d.w.conn(context.Background(), func() (driver.Conn, error) { return d.inner.Open(name) })
}

// Unwrap returns the driver that is wrapped.
func (d *drv) Unwrap() driver.Driver { return d.inner }

type driverContext struct{ d *drv }

func (d driverContext) OpenConnector(name string) (driver.Connector, error) {
	c, err := d.d.inner.(driver.DriverContext).OpenConnector(name)
	if err != nil {
		return nil, err
	}
	return d.d.w.connector(c), nil
}

type connector struct {
	inner driver.Connector
	w     *wrapper
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	return c.w.conn(ctx, func() (driver.Conn, error) { return c.inner.Connect(ctx) })
}

func (c *connector) Driver() driver.Driver { return c.inner.Driver() }

// Unwrap returns the connector that is wrapped.
func (c *connector) Unwrap() driver.Connector { return c.inner }

// dsnConnector is a connector for a driver that has none, as database/sql makes one.
type dsnConnector struct {
	driver driver.Driver
	dsn    string
}

func (c dsnConnector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c dsnConnector) Driver() driver.Driver                        { return c.driver }
