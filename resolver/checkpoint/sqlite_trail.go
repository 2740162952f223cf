package checkpoint

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// appendTrail numbers, chains and adds entries, and moves the head along. The head repeats the last
// entry's number and chain value, so that a trail whose newest entries were cut off shows too.
func appendTrail(ctx context.Context, c *sql.Conn, runID string, now time.Time, trail []resolver.TrailEntry) error {
	if len(trail) == 0 {
		return nil
	}
	seq, chain, err := trailHead(ctx, c)
	if err != nil {
		return err
	}
	entries, err := chainOn(seq, chain, runID, now, trail)
	if err != nil {
		return err
	}
	for _, e := range entries {
		_, err := c.ExecContext(ctx, `INSERT INTO trail (seq, run_id, at, actor, what, operation_id, detail, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			e.Seq, e.RunID, timeText(e.At), e.Actor, e.What, e.OperationID, e.Detail, e.Chain)
		if err != nil {
			return err
		}
	}
	last := entries[len(entries)-1]
	_, err = c.ExecContext(ctx, `UPDATE trail_head SET seq = ?, chain = ? WHERE id = 1`, last.Seq, last.Chain)
	return err
}

func trailHead(ctx context.Context, q queryer) (int64, string, error) {
	c, err := scanColumns([]string{"seq", "chain"}, q.QueryRowContext(ctx, `SELECT seq, chain FROM trail_head WHERE id = 1`).Scan)
	if err != nil {
		return 0, "", fmt.Errorf("%w: its head: %w", ErrTrailBroken, err)
	}
	seq, chain := c.number("seq"), c.text("chain")
	if c.err != nil {
		return 0, "", fmt.Errorf("%w: its head: %w", ErrTrailBroken, c.err)
	}
	return seq, chain, nil
}

// Trail returns the trail of one run, or with an empty id of all.
func (s *SQLite) Trail(ctx context.Context, runID string) ([]resolver.TrailEntry, error) {
	entries, err := readTrail(ctx, s.db, runID)
	return entries, s.fail("trail", runID, err)
}

// TrailWhole says whether the trail is whole.
func (s *SQLite) TrailWhole(ctx context.Context) error {
	return s.fail("check the trail", "", s.view(ctx, func(ctx context.Context, c *sql.Conn) error {
		entries, err := readTrail(ctx, c, "")
		if err != nil {
			return err
		}
		return trailMeetsHead(ctx, c, entries)
	}))
}

func trailMeetsHead(ctx context.Context, c *sql.Conn, entries []resolver.TrailEntry) error {
	if err := VerifyTrail(entries); err != nil {
		return err
	}
	headSeq, headChain, err := trailHead(ctx, c)
	if err != nil {
		return err
	}
	if seq, chain := trailEnd(entries); seq != headSeq || chain != headChain {
		return fmt.Errorf("%w after entry %d: it should end with entry %d", ErrTrailBroken, seq, headSeq)
	}
	return nil
}

type rowsQueryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

var trailColumns = []string{"seq", "run_id", "at", "actor", "what", "operation_id", "detail", "chain"}

func readTrail(ctx context.Context, q rowsQueryer, runID string) ([]resolver.TrailEntry, error) {
	rows, err := q.QueryContext(ctx, `SELECT seq, run_id, at, actor, what, operation_id, detail, chain FROM trail WHERE ?1 = '' OR run_id = ?1 ORDER BY seq`, runID)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := []resolver.TrailEntry{}
	for rows.Next() {
		c, err := scanColumns(trailColumns, rows.Scan)
		if err != nil {
			return nil, err
		}
		e := resolver.TrailEntry{
			Seq: c.number("seq"), RunID: c.text("run_id"), At: c.moment("at"), Actor: c.text("actor"), What: c.text("what"),
			OperationID: c.text("operation_id"), Detail: c.text("detail"), Chain: c.text("chain"),
		}
		if c.err != nil {
			return nil, fmt.Errorf("%w at entry %d: %w", ErrTrailBroken, e.Seq, c.err)
		}
		out = append(out, e)
	}
	return out, rows.Err()
}
