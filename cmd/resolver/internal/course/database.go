package course

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/paytwice/paytwice/resolver"
)

// database is a practice database that is read, never written.
type database struct {
	path string
	db   *sql.DB
}

// openDatabase opens the practice database; a missing one is no error and gives nil.
func openDatabase(ctx context.Context, path string) (*database, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := filepath.ToSlash(absolute)
	if filepath.VolumeName(absolute) != "" {
		name = "/" + name
	}
	u := url.URL{Scheme: "file", Path: name, RawQuery: "mode=ro"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	d := &database{path: path, db: db}
	if err := d.untouched(ctx); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) close() {
	if d != nil {
		d.db.Close()
	}
}

// writeTables are the tables that a change leaves a row in.
var writeTables = []string{"refunds", "return_labels", "reshipments"}

// untouched refuses a database that somebody has worked with: its stock and its payments are no longer
// what the tickets were written for.
func (d *database) untouched(ctx context.Context) error {
	for _, t := range writeTables {
		columns, err := d.columns(ctx, t)
		if err != nil {
			return err
		}
		if len(columns) == 0 {
			continue
		}
		id, err := operationColumn(d.path, t, columns)
		if err != nil {
			return err
		}
		var changes int
		query := fmt.Sprintf(`SELECT count(*) FROM %s WHERE %s NOT LIKE 'seed-%%'`, t, id)
		if err := d.db.QueryRowContext(ctx, query).Scan(&changes); err != nil {
			return d.fail(err)
		}
		if changes > 0 {
			return fmt.Errorf("%s, table %s: it holds %d change(s) already; give the course's untouched one", d.path, t, changes)
		}
	}
	return nil
}

func operationColumn(path, table string, columns []string) (string, error) {
	for _, name := range []string{"op_id", "operation_id"} {
		if slices.Contains(columns, name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s, table %s: there is no column op_id", path, table)
}

func (d *database) fail(err error) error {
	return fmt.Errorf("%s: not a practice database that can be read: %w", d.path, err)
}

// columns returns the names of a table's columns, none for a table that isn't there.
func (d *database) columns(ctx context.Context, table string) ([]string, error) {
	rows, err := d.db.QueryContext(ctx, `SELECT name FROM pragma_table_info(?)`, table)
	if err != nil {
		return nil, d.fail(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, d.fail(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		return nil, d.fail(err)
	}
	return names, nil
}

// read returns a table in the form of its CSV file, so that one reader checks both.
func (d *database) read(ctx context.Context, t table) ([]byte, error) {
	there, err := d.columns(ctx, t.name)
	if err != nil {
		return nil, err
	}
	if len(there) == 0 {
		return nil, fmt.Errorf("%s: there is no table %s, and no file %s beside it", d.path, t.name, t.file)
	}
	header, chosen := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		at := slices.IndexFunc(c.in, func(name string) bool { return slices.Contains(there, name) })
		if at < 0 {
			return nil, fmt.Errorf("%s, table %s: there is no column %s", d.path, t.name, c.name)
		}
		header[i], chosen[i] = c.name, c.in[at]
	}
	return d.query(ctx, t, header, chosen)
}

func (d *database) query(ctx context.Context, t table, header, chosen []string) ([]byte, error) {
	rows, err := d.db.QueryContext(ctx, fmt.Sprintf(`SELECT %s FROM %s ORDER BY rowid`, strings.Join(chosen, ", "), t.name))
	if err != nil {
		return nil, d.fail(err)
	}
	defer rows.Close()
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	if err := out.Write(header); err != nil {
		return nil, err
	}
	for n := 1; rows.Next(); n++ {
		values := make([]any, len(chosen))
		into := make([]any, len(chosen))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, d.fail(err)
		}
		record := make([]string, len(chosen))
		for i, v := range values {
			if record[i], err = fieldText(chosen[i], v); err != nil {
				return nil, fmt.Errorf("%s, table %s, row %d: column %s: %w", d.path, t.name, n, chosen[i], err)
			}
		}
		if err := out.Write(record); err != nil {
			return nil, err
		}
	}
	out.Flush()
	if err := errors.Join(rows.Err(), out.Error()); err != nil {
		return nil, d.fail(err)
	}
	return b.Bytes(), nil
}

// fieldText is a value of the database as its CSV file would have it.
func fieldText(column string, value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		if column == "created_at" && len(v) > len(time.DateOnly) {
			v = v[:len(time.DateOnly)]
		}
		return v, nil
	case time.Time: // the driver reads some declared types as times
		return v.Format(time.DateOnly), nil
	case bool:
		return map[bool]string{true: "1", false: "0"}[v], nil
	case int64:
		if strings.HasSuffix(column, "_cents") {
			return resolver.FormatCents(v), nil
		}
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("a value of an unexpected kind (%T)", value)
}
