package services

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	errDamaged = errors.New("the file is damaged")
	errForeign = errors.New("the file is no practice database")
	errVersion = errors.New("the file was written by another build")
)

// fileError returns err with the name of the file and what to do about it.
func fileError(path string, err error) error {
	if err == nil {
		return nil
	}
	advice := advise(err)
	if advice == "" {
		return fmt.Errorf("practice database %s: %w", path, err)
	}
	return fmt.Errorf("practice database %s: %w; %s", path, err, advice)
}

func advise(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "make it with a reset"
	case errors.Is(err, errDamaged), errors.Is(err, errForeign), errors.Is(err, errVersion):
		return "move it away, or replace it by a fresh one with a reset"
	case errors.Is(err, fs.ErrPermission):
		return "give yourself the right to read and write it and its folder"
	}
	var s *sqlite.Error
	if !errors.As(err, &s) {
		return ""
	}
	switch s.Code() & 0xff { // the low byte is the kind of error, the rest its detail
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "another process holds it: let that one end, or stop it, then try again"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return "it is read-only: give yourself the right to write it and its folder"
	case sqlite3.SQLITE_CANTOPEN:
		return "give yourself the right to read and write it and its folder"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return "move it away, or replace it by a fresh one with a reset"
	case sqlite3.SQLITE_FULL:
		return "the disk is full: make room, then try again"
	case sqlite3.SQLITE_IOERR:
		return "the system could not read or write it: check the disk, then try again"
	}
	return ""
}

// wholePages reports a file that doesn't end with a page's end. SQLite notices missing pages by itself, but
// reads a last page that is cut short as if it ended in zeros.
func wholePages(ctx context.Context, db *sql.DB, path string) error {
	var pageBytes int64
	if err := db.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&pageBytes); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil && info.Size()%pageBytes != 0 {
		err = fmt.Errorf("%w: it is cut short in its last page", errDamaged)
	}
	return err
}

// checkPlace reports a file that is missing or no file, which SQLite would say less plainly. It opens
// nothing: where locks belong to the process, closing the file here would drop those of a connection that
// is at work on it. That a file was cut short SQLite notices itself, at the first read.
//
// Source: https://www.sqlite.org/howtocorrupt.html (section 2.2)
func checkPlace(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errForeign
	}
	return nil
}
