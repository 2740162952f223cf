package services

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/statements"
)

// File is the services over one SQLite file. Several processes may use one file at a time.
type File struct {
	*World
	store *fileStore
}

// Open returns the services over a file that Create made.
//
// Errors: an error that names the file and says what to do, when the file is missing, cut short, not
// one of ours, locked or read-only. Nothing is created.
func Open(ctx context.Context, path string, c Config) (*File, error) {
	s, err := openStore(ctx, path, "rw")
	if err != nil {
		return nil, err
	}
	s.failed = c.Failed
	return &File{World: newWorld(s, c), store: s}, nil
}

// Close gives the file back.
func (f *File) Close() error { return f.store.db.Close() }

// Path returns where the file is.
func (f *File) Path() string { return f.store.path }

// Check reads the whole file and reports the first thing that is wrong with it.
func (f *File) Check(ctx context.Context) error {
	var verdict string
	if err := f.store.db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return fileError(f.store.path, err)
	}
	if verdict != "ok" {
		return fileError(f.store.path, fmt.Errorf("%w: %s", errDamaged, verdict))
	}
	return nil
}

// Create makes a new file that holds the data (nil means the course's) and no change. A file that exists is left alone, also one
// that another process makes at this moment.
//
// Errors: one that wraps fs.ErrExist, or that says why the file can't be written.
func Create(ctx context.Context, path string, data *larkfield.Data) error {
	exists := fmt.Errorf("practice database %s: %w; reset it to start afresh", path, fs.ErrExist)
	// A journal that was there before the file was missing is a killed process's; a later one may belong to
	// whoever makes the file at this moment.
	_, noJournal := os.Stat(path + "-journal")
	if _, err := os.Stat(path); err == nil {
		return exists
	}
	temp, err := buildBeside(ctx, path, data)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if noJournal == nil {
		if err := removeJournal(path); err != nil {
			return err
		}
	}
	// A rename would replace the file of a process that was faster, with what it has changed since.
	switch err := os.Link(temp, path); {
	case errors.Is(err, fs.ErrExist):
		return exists
	case err != nil: // a file system without links
		return replace(temp, path)
	}
	return nil
}

// Reset puts a fresh file in the place of whatever is there. It is built beside the old one and moved
// over it, so a process that is killed here leaves the old file or the new one. Nobody may have the old
// one open.
func Reset(ctx context.Context, path string, data *larkfield.Data) error {
	temp, err := buildBeside(ctx, path, data)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := removeJournal(path); err != nil {
		return err
	}
	return replace(temp, path)
}

// buildBeside makes a file of a name of its own in the folder of path.
func buildBeside(ctx context.Context, path string, data *larkfield.Data) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("practice database %s: %w", path, err)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return "", fmt.Errorf("practice database %s: %w", path, err)
	}
	temp.Close()
	if err := build(ctx, temp.Name(), data); err != nil {
		os.Remove(temp.Name())
		os.Remove(temp.Name() + "-journal")
		return "", fileError(path, err)
	}
	return temp.Name(), nil
}

// removeJournal removes what a killed process left: it belongs to the file before and would be played
// into the new one.
func removeJournal(path string) error {
	if err := os.Remove(path + "-journal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("practice database %s: %w", path, err)
	}
	return nil
}

func replace(temp, path string) error {
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("practice database %s: %w", path, err)
	}
	return nil
}

func build(ctx context.Context, path string, data *larkfield.Data) error {
	if data == nil {
		data = larkfield.Dataset()
	}
	db, err := connect(path, "rwc")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	head := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, schemaVersion)
	if _, err := tx.ExecContext(ctx, head+schema); err != nil {
		return err
	}
	if err := insertData(ctx, tx, data); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return db.Close()
}

// connect opens a connection. mode is ro, rw or rwc.
//
// Journal mode DELETE: a case starts from a copy of one file, and a killed process must leave a file
// that can be read and copied without a second one beside it. In WAL mode the last commits live in
// another file, an image can't be loaded back into memory, and a log that no process lives to check in
// grows from kill to kill. synchronous FULL: an answered change is on the disk before its answer.
// One connection: the transactions of a process queue here instead of failing as busy.
func connect(path, mode string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: url.Values{
		"mode":    {mode},
		"_txlock": {"immediate"}, // a transaction that reads before it writes must not meet another between
		"_pragma": {"busy_timeout(5000)", "journal_mode(DELETE)", "synchronous(FULL)"},
	}.Encode()}
	if mode == "ro" {
		u.RawQuery = url.Values{"mode": {mode}, "_pragma": {"busy_timeout(5000)"}}.Encode()
	}
	connector, err := sqlite.NewConnector(u.String())
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(statements.Keep(connector))
	db.SetMaxOpenConns(1)
	return db, nil
}

// openStore opens a file and checks that it is one of ours and whole enough to begin with.
func openStore(ctx context.Context, path, mode string) (*fileStore, error) {
	if err := checkPlace(path); err != nil {
		return nil, fileError(path, err)
	}
	db, err := connect(path, mode)
	if err != nil {
		return nil, fileError(path, err)
	}
	var id, version, tables int
	err = db.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_master WHERE type = 'table')`).Scan(&id, &version, &tables)
	switch {
	case err != nil:
	case id != applicationID || tables == 0:
		err = errForeign
	case version != schemaVersion:
		err = fmt.Errorf("%w: version %d, this build reads %d", errVersion, version, schemaVersion)
	default:
		err = wholePages(ctx, db, path)
	}
	if err != nil {
		db.Close()
		return nil, fileError(path, err)
	}
	return &fileStore{db: db, path: path}, nil
}
