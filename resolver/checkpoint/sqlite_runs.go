package checkpoint

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/resolver"
)

// Create saves a new run.
func (s *SQLite) Create(ctx context.Context, st *resolver.TaskState) error {
	return s.fail("create", st.RunID, s.create(ctx, st))
}

func (s *SQLite) create(ctx context.Context, st *resolver.TaskState) error {
	now := s.opts.now()
	text, err := stamped(st, now)
	if err != nil {
		return err
	}
	err = s.write(ctx, func(ctx context.Context, c *sql.Conn) error {
		var taken int
		err := c.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM runs WHERE run_id = ?1) + (SELECT count(*) FROM pruned WHERE run_id = ?1)`,
			st.RunID).Scan(&taken)
		if err != nil {
			return err
		}
		if taken > 0 {
			return resolver.ErrRunExists
		}
		sum := summaryOf(st)
		_, err = c.ExecContext(ctx, `INSERT INTO runs (run_id, ticket, variant, model, status, updated_at, model_calls, input_tokens, output_tokens, version, state)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`, sum.RunID, sum.TicketID, sum.Variant, sum.Model, string(sum.Status), timeText(now),
			sum.ModelCalls, sum.InputTokens, sum.OutputTokens, string(text))
		return err
	}, s.hasVersion(st.RunID, 1, text))
	if err != nil {
		return err
	}
	st.Version, st.UpdatedAt = 1, now
	return nil
}

// Load returns a run.
func (s *SQLite) Load(ctx context.Context, runID string) (*resolver.TaskState, error) {
	row, err := s.row(ctx, runID)
	if err != nil {
		return nil, s.fail("load", runID, err)
	}
	d, err := row.document()
	if err != nil {
		return nil, s.fail("load", runID, err)
	}
	d.state.Version = row.Version // Nobody else has this row.
	return d.state, nil
}

func (s *SQLite) row(ctx context.Context, runID string) (*Row, error) {
	names := []string{"seq", "version", "state"}
	c, err := scanColumns(names, s.db.QueryRowContext(ctx, `SELECT seq, version, state FROM runs WHERE run_id = ?`, runID).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, resolver.ErrUnknownRun
	}
	if err != nil {
		return nil, err
	}
	return c.row(runID)
}

// row reads a run's row from columns that hold seq, version and state.
func (c *columns) row(runID string) (*Row, error) {
	row := NewRow(runID, c.number("seq"), c.number("version"), []byte(c.text("state")))
	if c.err == nil && row.Version < 1 {
		c.err = badVersion(row.Version)
	}
	return row, c.err
}

// Save replaces a run and appends to the trail.
func (s *SQLite) Save(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail ...resolver.TrailEntry) error {
	return s.fail("save", st.RunID, s.save(ctx, st, lease, trail))
}

func (s *SQLite) save(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
	now := s.opts.now()
	text, err := stamped(st, now)
	if err != nil {
		return err
	}
	next := st.Version + 1
	err = s.write(ctx, func(ctx context.Context, c *sql.Conn) error {
		version, held, err := readForSave(ctx, c, st.RunID)
		if err != nil {
			return err
		}
		if err := mayReplace(version, st.Version, held, lease); err != nil {
			return err
		}
		sum := summaryOf(st)
		_, err = c.ExecContext(ctx, `UPDATE runs SET ticket = ?, variant = ?, model = ?, status = ?, updated_at = ?, model_calls = ?,
			input_tokens = ?, output_tokens = ?, version = ?, state = ? WHERE run_id = ?`, sum.TicketID, sum.Variant, sum.Model, string(sum.Status),
			timeText(now), sum.ModelCalls, sum.InputTokens, sum.OutputTokens, next, string(text), sum.RunID)
		if err != nil {
			return err
		}
		return appendTrail(ctx, c, st.RunID, now, trail)
	}, s.hasVersion(st.RunID, next, text))
	if err != nil {
		return err
	}
	st.Version, st.UpdatedAt = next, now
	return nil
}

// readForSave returns the version and the lease of a run, in one statement.
func readForSave(ctx context.Context, c *sql.Conn, runID string) (int64, LeaseRow, error) {
	names := append([]string{"version"}, leaseColumns...)
	cols, err := scanColumns(names, c.QueryRowContext(ctx, `SELECT r.version, coalesce(l.token, 0), coalesce(l.host, ''), coalesce(l.pid, 0),
		coalesce(l.started, ''), coalesce(l.expires_at, '') FROM runs r LEFT JOIN leases l ON l.run_id = r.run_id WHERE r.run_id = ?`, runID).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, LeaseRow{}, resolver.ErrUnknownRun
	}
	if err != nil {
		return 0, LeaseRow{}, err
	}
	return cols.number("version"), cols.lease(runID), cols.err
}

// hasVersion returns the question whether a version with exactly this text is in the file. The text
// carries the time of the save, so another process's version of the same number differs.
func (s *SQLite) hasVersion(runID string, version int64, text []byte) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		row, err := s.row(ctx, runID)
		if errors.Is(err, resolver.ErrUnknownRun) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		return row.Version == version && string(row.text) == string(text), nil
	}
}

var summaryColumns = []string{"run_id", "ticket", "variant", "model", "status", "updated_at", "model_calls", "input_tokens", "output_tokens"}

// List returns the runs in the order they were created, from their columns alone: a run whose state
// can't be read is listed like any other.
func (s *SQLite) List(ctx context.Context) ([]resolver.RunSummary, error) {
	rows, err := s.db.QueryContext(ctx, selectSummaries)
	if err != nil {
		return nil, s.fail("list", "", err)
	}
	list, err := readSummaries(rows)
	return list, s.fail("list", "", err)
}

const selectSummaries = `SELECT run_id, ticket, variant, model, status, updated_at, model_calls, input_tokens, output_tokens FROM runs ORDER BY seq`

func readSummaries(rows *sql.Rows) ([]resolver.RunSummary, error) {
	defer func() { _ = rows.Close() }()
	out := []resolver.RunSummary{}
	for rows.Next() {
		c, err := scanColumns(summaryColumns, rows.Scan)
		if err != nil {
			return nil, err
		}
		sum := c.summary()
		if c.err != nil {
			return nil, fmt.Errorf("run %s: %w", sum.RunID, c.err)
		}
		out = append(out, sum)
	}
	return out, rows.Err()
}

func (c *columns) summary() resolver.RunSummary {
	sum := resolver.RunSummary{
		RunID: c.text("run_id"), TicketID: c.text("ticket"), Variant: c.text("variant"), Model: c.text("model"),
		Status: resolver.Status(c.text("status")), UpdatedAt: c.moment("updated_at"),
		ModelCalls: c.count("model_calls"), InputTokens: c.count("input_tokens"), OutputTokens: c.count("output_tokens"),
	}
	if c.err == nil && !sum.Status.Known() {
		c.err = fmt.Errorf("%w: field status: %q is no status of a run", resolver.ErrBadState, sum.Status)
	}
	return sum
}
