package checkpoint

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// meaning maps SQLite's primary result codes to what the reader of a message can do about them.
//
// Source: https://www.sqlite.org/rescode.html
var meaning = map[int]error{
	// The statements are fixed, so SQL that fails to compile means other tables.
	sqlite3.SQLITE_ERROR:    ErrNotStore,
	sqlite3.SQLITE_BUSY:     ErrLocked,
	sqlite3.SQLITE_LOCKED:   ErrLocked,
	sqlite3.SQLITE_FULL:     ErrFull,
	sqlite3.SQLITE_READONLY: ErrNotWritable,
	sqlite3.SQLITE_CANTOPEN: ErrNotWritable,
	sqlite3.SQLITE_PERM:     ErrNotWritable,
	sqlite3.SQLITE_AUTH:     ErrNotWritable,
	sqlite3.SQLITE_CORRUPT:  ErrDamaged,
	sqlite3.SQLITE_NOTADB:   ErrDamaged,
	sqlite3.SQLITE_IOERR:    ErrIO,
	sqlite3.SQLITE_PROTOCOL: ErrIO,
}

// fail names the file, what was tried and the run, and adds to SQLite's errors what they mean.
func (s *SQLite) fail(op, runID string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", s.path, about(op, runID), explained(err))
}

func explained(err error) error {
	var lite *sqlite.Error
	if !errors.As(err, &lite) {
		return err
	}
	known, ok := meaning[lite.Code()&0xff]
	if !ok {
		return err
	}
	return fmt.Errorf("%w (%w)", known, err)
}

func about(op, runID string) string { return strings.TrimSuffix(op+" run "+runID, " run ") }
