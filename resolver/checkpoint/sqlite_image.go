package checkpoint

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/resolver"
)

// Image returns everything in the file at one moment.
//
// Errors: resolver.ErrBadState for a column that can't be read; a state is not decoded before its Row is.
func (s *SQLite) Image(ctx context.Context) (*Image, error) {
	var img *Image
	err := s.view(ctx, func(ctx context.Context, c *sql.Conn) error {
		var err error
		img, err = readImage(ctx, c)
		return err
	})
	if err != nil {
		return nil, s.fail("read all", "", err)
	}
	return img, nil
}

// view runs read in a transaction that changes nothing, so that all it reads is of one moment.
func (s *SQLite) view(ctx context.Context, read func(context.Context, *sql.Conn) error) error {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	defer func() { _, _ = c.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) }()
	if _, err := c.ExecContext(ctx, `BEGIN`); err != nil {
		return err
	}
	return read(ctx, c)
}

func readImage(ctx context.Context, c *sql.Conn) (*Image, error) {
	img := &Image{}
	var err error
	if img.Rows, err = readRows(ctx, c); err != nil {
		return nil, err
	}
	if img.Leases, err = readLeases(ctx, c); err != nil {
		return nil, err
	}
	if img.Trail, err = readTrail(ctx, c, ""); err != nil {
		return nil, err
	}
	img.Pruned, err = readIDs(ctx, c, `SELECT run_id FROM pruned ORDER BY run_id`)
	return img, err
}

func readRows(ctx context.Context, c *sql.Conn) ([]*Row, error) {
	rows, err := c.QueryContext(ctx, `SELECT run_id, seq, version, state FROM runs ORDER BY run_id`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []*Row
	for rows.Next() {
		cols, err := scanColumns([]string{"run_id", "seq", "version", "state"}, rows.Scan)
		if err != nil {
			return nil, err
		}
		id := cols.text("run_id")
		row, err := cols.row(id)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", id, err)
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

func readLeases(ctx context.Context, c *sql.Conn) ([]LeaseRow, error) {
	rows, err := c.QueryContext(ctx, `SELECT run_id, token, host, pid, started, expires_at FROM leases ORDER BY run_id`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []LeaseRow
	for rows.Next() {
		cols, err := scanColumns(append([]string{"run_id"}, leaseColumns...), rows.Scan)
		if err != nil {
			return nil, err
		}
		row := cols.lease(cols.text("run_id"))
		if cols.err != nil {
			return nil, fmt.Errorf("lease of run %s: %w", row.RunID, cols.err)
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// Check is the full check: the file's structure, what Image.Check looks at, whether the trail ends where
// its head says, and whether the columns beside each state say what the state says.
func (s *SQLite) Check(ctx context.Context) error {
	return s.fail("check", "", s.view(ctx, func(ctx context.Context, c *sql.Conn) error {
		if err := checkStructure(ctx, c); err != nil {
			return err
		}
		img, err := readImage(ctx, c)
		if err != nil {
			return err
		}
		return errors.Join(img.Check(), trailMeetsHead(ctx, c, img.Trail), checkColumns(ctx, c, img))
	}))
}

func checkStructure(ctx context.Context, c *sql.Conn) error {
	var first string
	if err := c.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&first); err != nil {
		return err
	}
	if first != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, first)
	}
	return nil
}

func checkColumns(ctx context.Context, c *sql.Conn, img *Image) error {
	rows, err := c.QueryContext(ctx, selectSummaries)
	if err != nil {
		return err
	}
	list, err := readSummaries(rows)
	if err != nil {
		return err
	}
	var problems []error
	for i, row := range bySeq(img.Rows) {
		d, err := row.document()
		if err != nil {
			continue // Image.Check has said so.
		}
		got, want := list[i], d.summary()
		if !got.UpdatedAt.Equal(want.UpdatedAt) {
			problems = append(problems, fmt.Errorf("run %s: %w: field updated_at: the column says %s, the state %s", row.RunID, resolver.ErrBadState, got.UpdatedAt, want.UpdatedAt))
		}
		got.UpdatedAt = want.UpdatedAt
		if got != want {
			problems = append(problems, fmt.Errorf("run %s: %w: the columns say %+v, the state %+v", row.RunID, resolver.ErrBadState, got, want))
		}
	}
	return errors.Join(problems...)
}
