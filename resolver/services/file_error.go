package services

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	}
	return ""
}

// checkLength compares a file's length with the one in its header. A file that was cut short can
// otherwise be opened and fails only when a lost page is read.
//
// Source: https://www.sqlite.org/fileformat.html#the_database_header
func checkLength(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errForeign
	}
	var header [100]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return fmt.Errorf("%w: it holds %d bytes", errDamaged, info.Size())
	}
	if string(header[:16]) != "SQLite format 3\x00" {
		return errForeign
	}
	if _, err := os.Stat(path + "-journal"); err == nil {
		return nil // a commit was cut short: the header counts only once the journal is played back
	}
	pageBytes, pages := int64(binary.BigEndian.Uint16(header[16:])), int64(binary.BigEndian.Uint32(header[28:]))
	if pageBytes == 1 {
		pageBytes = 65536 // as the format writes it
	}
	if info.Size() < pageBytes*pages {
		return fmt.Errorf("%w: %d of its %d bytes are there", errDamaged, info.Size(), pageBytes*pages)
	}
	return nil
}
