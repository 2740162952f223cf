package checkpoint

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// Prune deletes finished runs and then rebuilds the file, since SQLite leaves the bytes of a deleted row
// where they were. It does so even if there was nothing to delete: an earlier one may have been killed
// between the two.
func (s *SQLite) Prune(ctx context.Context, olderThan time.Time) (int, error) {
	var gone []string
	err := s.write(ctx, func(ctx context.Context, c *sql.Conn) error {
		var err error
		if gone, err = s.toPrune(ctx, c, olderThan); err != nil {
			return err
		}
		return deleteRuns(ctx, c, gone)
	}, func(ctx context.Context) (bool, error) { return s.areGone(ctx, gone) })
	if err != nil {
		return 0, s.fail("prune", "", err)
	}
	if _, err := s.db.ExecContext(ctx, `VACUUM`); err != nil {
		return len(gone), s.fail("prune", "", fmt.Errorf("%w (%w)", ErrNotVacuumed, explained(err)))
	}
	return len(gone), nil
}

func (s *SQLite) toPrune(ctx context.Context, c *sql.Conn, olderThan time.Time) ([]string, error) {
	rows, err := c.QueryContext(ctx, selectSummaries)
	if err != nil {
		return nil, err
	}
	list, err := readSummaries(rows)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, sum := range list {
		if !prunable(sum, olderThan) {
			continue
		}
		_, held, err := readForSave(ctx, c, sum.RunID)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", sum.RunID, err)
		}
		if !held.heldAt(s.opts.now(), s.opts.Alive) {
			out = append(out, sum.RunID)
		}
	}
	return out, nil
}

func deleteRuns(ctx context.Context, c *sql.Conn, ids []string) error {
	for _, id := range ids {
		for _, statement := range []string{
			`DELETE FROM runs WHERE run_id = ?`,
			`DELETE FROM leases WHERE run_id = ?`,
			`INSERT INTO pruned (run_id) VALUES (?)`,
		} {
			if _, err := c.ExecContext(ctx, statement, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// areGone says whether pruned runs are in the list of them, all or none.
func (s *SQLite) areGone(ctx context.Context, ids []string) (bool, error) {
	if len(ids) == 0 {
		return true, nil
	}
	var n int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM pruned WHERE run_id = ?`, ids[0]).Scan(&n)
	return n > 0, err
}

// LatestRun returns the id of the run of a ticket that was created last.
func (s *SQLite) LatestRun(ctx context.Context, ticketID string) (string, error) {
	ids, err := readIDs(ctx, s.db, `SELECT run_id FROM runs WHERE ticket = ? ORDER BY seq DESC LIMIT 1`, ticketID)
	if err == nil && len(ids) == 0 {
		err = resolver.ErrUnknownRun
	}
	if err != nil {
		return "", s.fail("latest run of ticket "+ticketID, "", err)
	}
	return ids[0], nil
}

// NextRunID returns the id of the next run of a ticket, variant and model.
func (s *SQLite) NextRunID(ctx context.Context, ticketID, variant, model string) (string, error) {
	ids, err := readIDs(ctx, s.db, `SELECT run_id FROM runs WHERE substr(run_id, 1, length(?1)) = ?1
		UNION ALL SELECT run_id FROM pruned WHERE substr(run_id, 1, length(?1)) = ?1`, numberPrefix(ticketID, variant, model))
	if err != nil {
		return "", s.fail("next run of ticket "+ticketID, "", err)
	}
	return nextNumber(ids, ticketID, variant, model), nil
}

func readIDs(ctx context.Context, q rowsQueryer, query string, args ...any) ([]string, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		c, err := scanColumns([]string{"run_id"}, rows.Scan)
		if err != nil {
			return nil, err
		}
		if out = append(out, c.text("run_id")); c.err != nil {
			return nil, c.err
		}
	}
	return out, rows.Err()
}
