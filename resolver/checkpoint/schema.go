package checkpoint

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
)

// migrations holds the statements that take a file from schema version i to i+1; a new file goes through
// all of them. A migration that a released build has run is never edited: a change of the schema is a new
// entry at the end, and nothing else. Old rows keep their columns; what the state's JSON gains over time
// is the business of resolver.DecodeState.
//
// The version is kept in PRAGMA user_version. A file with a higher one than this list is refused, since a
// build that doesn't know a column would drop what it says at the next save.
var migrations = []string{`
CREATE TABLE runs (
	seq           INTEGER PRIMARY KEY,
	run_id        TEXT    NOT NULL UNIQUE,
	ticket        TEXT    NOT NULL,
	variant       TEXT    NOT NULL,
	model         TEXT    NOT NULL,
	status        TEXT    NOT NULL,
	updated_at    TEXT    NOT NULL,
	model_calls   INTEGER NOT NULL,
	input_tokens  INTEGER NOT NULL,
	output_tokens INTEGER NOT NULL,
	version       INTEGER NOT NULL,
	state         TEXT    NOT NULL
);
CREATE TABLE leases (
	run_id     TEXT    PRIMARY KEY NOT NULL,
	token      INTEGER NOT NULL,
	host       TEXT    NOT NULL,
	pid        INTEGER NOT NULL,
	started    TEXT    NOT NULL,
	expires_at TEXT    NOT NULL
) WITHOUT ROWID;
CREATE TABLE trail (
	seq          INTEGER PRIMARY KEY,
	run_id       TEXT NOT NULL,
	at           TEXT NOT NULL,
	actor        TEXT NOT NULL,
	what         TEXT NOT NULL,
	operation_id TEXT NOT NULL,
	detail       TEXT NOT NULL,
	chain        TEXT NOT NULL
);
CREATE TABLE trail_head (
	id    INTEGER PRIMARY KEY CHECK (id = 1),
	seq   INTEGER NOT NULL,
	chain TEXT    NOT NULL
);
CREATE TABLE pruned (
	run_id TEXT PRIMARY KEY NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER trail_no_update BEFORE UPDATE ON trail BEGIN SELECT RAISE(ABORT, 'the trail is append-only'); END;
CREATE TRIGGER trail_no_delete BEFORE DELETE ON trail BEGIN SELECT RAISE(ABORT, 'the trail is append-only'); END;
CREATE TRIGGER trail_no_replace BEFORE INSERT ON trail WHEN EXISTS (SELECT 1 FROM trail WHERE seq = NEW.seq)
	BEGIN SELECT RAISE(ABORT, 'the trail is append-only'); END;
INSERT INTO trail_head (id, seq, chain) VALUES (1, 0, '');
`}

// SchemaVersion is the version of the schema that this build writes.
var SchemaVersion = len(migrations)

// ready brings the file to this build's schema. For a file that is there already it is one statement and
// a look at the size: a process is started, and a store opened, a few hundred times a second.
func (s *SQLite) ready(ctx context.Context) error {
	version, err := schemaVersion(ctx, s.db)
	if err == nil && version < SchemaVersion {
		err = s.inTx(ctx, migrate)
	}
	if err == nil {
		err = s.wholePages(ctx)
	}
	return s.fail("open", "", err)
}

// usualPageBytes is the page size of every file that this package makes.
const usualPageBytes = 4096

// wholePages says whether the file ends with a page's end. SQLite notices missing pages by itself, but
// reads a last page that is cut short as if it ended in zeros. The size is asked of the folder: opening
// the file a second time, and closing it, would drop every lock that this process has on it.
func (s *SQLite) wholePages(ctx context.Context) error {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if info.Size()%usualPageBytes == 0 {
		return nil
	}
	var page int64
	if err := s.db.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&page); err != nil {
		return err
	}
	if info.Size()%page != 0 {
		return fmt.Errorf("cut short in its last page: %w", ErrDamaged)
	}
	return nil
}

// migrate runs inside one transaction, so a kill leaves the old schema or the new one.
func migrate(ctx context.Context, c *sql.Conn) error {
	version, err := schemaVersion(ctx, c) // Another process may have been first.
	if err != nil {
		return err
	}
	if version == 0 {
		var tables int
		if err := c.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master`).Scan(&tables); err != nil {
			return err
		}
		if tables > 0 {
			return ErrNotStore
		}
	}
	for _, m := range migrations[version:] {
		if _, err := c.ExecContext(ctx, m); err != nil {
			return err
		}
	}
	_, err = c.ExecContext(ctx, `PRAGMA user_version = `+strconv.Itoa(SchemaVersion))
	return err
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// schemaVersion returns the file's version. ErrNewerSchema when this build doesn't know it.
func schemaVersion(ctx context.Context, q queryer) (int, error) {
	var version int
	err := q.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version)
	if err == nil && version > SchemaVersion {
		err = fmt.Errorf("schema %d, this build knows up to %d: %w", version, SchemaVersion, ErrNewerSchema)
	}
	return version, err
}
