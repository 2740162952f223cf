package statements_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"github.com/paytwice/paytwice/resolver/statements"
)

// counting counts what its connections prepare.
type counting struct {
	driver.Connector
	prepared []string
}

func (c *counting) Connect(ctx context.Context) (driver.Conn, error) {
	raw, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &countingConn{raw.(all), c}, nil
}

type all interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type countingConn struct {
	all
	of *counting
}

func (c *countingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.of.prepared = append(c.of.prepared, query)
	return c.all.PrepareContext(ctx, query)
}

func open(t *testing.T, path string) (*sql.DB, *counting) {
	t.Helper()
	base, err := sqlite.NewConnector("file:" + path)
	must(t, err)
	c := &counting{Connector: base}
	db := sql.OpenDB(statements.Keep(c))
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, db.Close()) })
	return db, c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func exec(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), query, args...)
	must(t, err)
}

func number(t *testing.T, db *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	must(t, db.QueryRowContext(t.Context(), query, args...).Scan(&n))
	return n
}

const (
	insert = `INSERT INTO numbers VALUES (?)`
	count  = `SELECT count(*) FROM numbers WHERE n > ?`
)

func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sqlite")
	db, c := open(t, path)
	exec(t, db, `CREATE TABLE numbers (n INTEGER UNIQUE)`)
	c.prepared = nil
	for i := range 5 {
		exec(t, db, insert, i)
		if got := number(t, db, count, 0); got != i {
			t.Errorf("%d numbers above 0 after %d", got, i)
		}
	}
	if got := strings.Join(c.prepared, "; "); got != insert+"; "+count {
		t.Errorf("prepared: %s", got)
	}
	t.Run("after an error", func(t *testing.T) {
		if _, err := db.ExecContext(t.Context(), insert, 3); err == nil || !strings.Contains(err.Error(), "UNIQUE") {
			t.Errorf("got %v", err)
		}
		exec(t, db, insert, 5)
		if len(c.prepared) != 2 {
			t.Errorf("prepared: %q", c.prepared)
		}
	})
	t.Run("after another connection changed the tables", func(t *testing.T) {
		other, _ := open(t, path)
		exec(t, other, `ALTER TABLE numbers ADD COLUMN m INTEGER`)
		if got := number(t, db, count, -1); got != 6 {
			t.Errorf("%d numbers", got)
		}
	})
	t.Run("nothing is left locked", func(t *testing.T) {
		other, _ := open(t, path)
		exec(t, other, `DELETE FROM numbers`)
		exec(t, db, `VACUUM`)
	})
	t.Run("a text that is no SQL", func(t *testing.T) {
		if _, err := db.QueryContext(t.Context(), `SELECT`); err == nil {
			t.Error("no error")
		}
	})
}

// While the rows of a statement are read, the same text is another statement.
func TestKeep_InUse(t *testing.T) {
	db, c := open(t, filepath.Join(t.TempDir(), "a.sqlite"))
	exec(t, db, `CREATE TABLE numbers (n INTEGER UNIQUE)`)
	for i := range 3 {
		exec(t, db, insert, i)
	}
	one, err := db.Conn(t.Context())
	must(t, err)
	defer one.Close()
	var all []int
	const query = `SELECT n FROM numbers ORDER BY n`
	read := func(inner func()) {
		rows, err := one.QueryContext(t.Context(), query)
		must(t, err)
		defer rows.Close()
		for rows.Next() {
			var n int
			must(t, rows.Scan(&n))
			all = append(all, n)
			inner()
		}
		must(t, rows.Err())
	}
	c.prepared = nil
	read(func() { read(func() {}) })
	read(func() {})
	want := []int{0, 0, 1, 2, 1, 0, 1, 2, 2, 0, 1, 2, 0, 1, 2}
	if len(all) != len(want) {
		t.Fatalf("got %v", all)
	}
	for i := range want {
		if all[i] != want[i] {
			t.Fatalf("got %v, want %v", all, want)
		}
	}
	// The outer one is kept out while it is read: each inner one after the first finds the one before.
	if len(c.prepared) != 2 {
		t.Errorf("prepared: %q", c.prepared)
	}
}

// A driver without what is needed is refused rather than used without it.
func TestKeep_OtherDrivers(t *testing.T) {
	db := sql.OpenDB(statements.Keep(poor{}))
	defer db.Close()
	if err := db.PingContext(t.Context()); err == nil || !strings.Contains(err.Error(), "lacks a method") {
		t.Errorf("got %v", err)
	}
}

type poor struct{}

func (poor) Connect(context.Context) (driver.Conn, error) { return poorConn{}, nil }
func (poor) Driver() driver.Driver                        { return nil }

type poorConn struct{ driver.Conn }

func (poorConn) Close() error { return nil }
