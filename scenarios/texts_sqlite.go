package scenarios

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// database is one text in a SQLite file. Between transactions it is a single file, which can be copied.
type database struct {
	path string
	db   *sql.DB
}

// openDatabase opens the file of a text, which is made if there is none.
func openDatabase(ctx context.Context, path string) (*database, error) {
	name := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
	db, err := sql.Open("sqlite", "file:"+name+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(DELETE)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	d := &database{path, db}
	if _, err := db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS text (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL)`); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return d, nil
}

func (d *database) close() error { return d.db.Close() }

// rower is a database or a transaction in it.
type rower interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (d *database) body(ctx context.Context, from rower) (string, bool, error) {
	var text string
	err := from.QueryRowContext(ctx, `SELECT body FROM text`).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read %s: %w", d.path, err)
	}
	return text, true, nil
}

func (d *database) read(ctx context.Context) (string, bool, error) { return d.body(ctx, d.db) }

// update is one transaction: it locks the file before it reads, so that two writers take turns.
func (d *database) update(ctx context.Context, change func(string) (string, error)) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("update %s: %w", d.path, err)
	}
	defer tx.Rollback() // after a commit it does nothing
	old, _, err := d.body(ctx, tx)
	if err != nil {
		return err
	}
	text, err := change(old)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO text (id, body) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body`, text); err != nil {
		return fmt.Errorf("update %s: %w", d.path, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("update %s: %w", d.path, err)
	}
	return nil
}
