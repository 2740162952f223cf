package checkpoint

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"

	"github.com/paytwice/paytwice/resolver/statements"
)

// SQLite is a Store in one file. Any number of processes may use the file at once.
//
// Journal mode is DELETE: between transactions the store is one file, which can be copied as a template
// or an exhibit; a copy of a file in WAL mode lacks what its -wal holds. Synchronous is FULL: a save that
// was acknowledged survives a power loss, with one exception that a search over power-loss states found:
// the removal of the journal is not synced to the folder, so the loss of power right after a commit may
// bring the journal back, and the next process rolls that one commit back, whole. Nothing is torn.
// A killed process, as opposed to a lost disk cache, loses nothing that was acknowledged.
//
// Concurrency: safe for any number of goroutines, which take turns on one connection.
//
// Source: https://www.sqlite.org/pragma.html#pragma_synchronous
type SQLite struct {
	path string
	opts Options
	db   *sql.DB
	// commit ends a transaction; tests put failures here.
	commit func(ctx context.Context, c *sql.Conn) error
}

// Open returns the store in a file, which is made if there is none. Its folder must exist.
//
// A file of no bytes is what a process killed while making the store leaves: it counts as a new one.
//
// Errors: ErrNotWritable, ErrDamaged, ErrNotStore, ErrNewerSchema, ErrLocked, ErrFull, ErrIO, all with
// the file's name; ErrBadArgument for a path that names no file.
func Open(path string, opts Options) (*SQLite, error) {
	opts = opts.filled()
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, fmt.Errorf("open %q: %w: a store of runs needs a file; NewMemory needs none", path, ErrBadArgument)
	}
	connector, err := sqlite.NewConnector(dsn(path, opts))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &SQLite{path: path, opts: opts, db: sql.OpenDB(statements.Keep(connector)), commit: commit}
	// With more connections one goroutine could meet the lock of another and wait for itself.
	s.db.SetMaxOpenConns(1)
	// The driver waits for locks inside SQLite, where a bubble's clock stands still, until the first call
	// whose context can end; from then on it waits in Go. So the first call has such a context.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := s.ready(ctx); err != nil {
		_ = s.db.Close()
		return nil, err
	}
	return s, nil
}

// dsn names the file and the three settings of a connection. FULL and DELETE are the library's defaults
// today; they are said because the promises of SQLite hang on them.
func dsn(path string, opts Options) string {
	name := filepath.ToSlash(filepath.Clean(path))
	if filepath.VolumeName(path) != "" {
		name = "/" + name
	}
	name = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(name)
	return fmt.Sprintf("file:%s?_pragma=busy_timeout(%d)&_pragma=journal_mode(DELETE)&_pragma=synchronous(FULL)",
		name, opts.BusyTimeout.Milliseconds())
}

// Path returns the file's name as it was given.
func (s *SQLite) Path() string { return s.path }

// Durable returns true.
func (s *SQLite) Durable() bool { return true }

// Close closes the file.
func (s *SQLite) Close() error { return s.fail("close", "", s.db.Close()) }
