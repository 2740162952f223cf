// Package shop pays an order back in three ways, one of which is right.
package shop

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
)

// Shop is a database and a payment provider.
type Shop struct {
	DB     *sql.DB
	Client *http.Client
	URL    string
}

// Refund asks for the money and then writes it down. Without a key a crash in between pays twice.
func (s Shop) Refund(ctx context.Context, order string, key string) error {
	if done, err := s.done(ctx, order); err != nil || done {
		return err
	}
	if err := s.request(ctx, order, key); err != nil {
		return err
	}
	return s.write(ctx, order)
}

// RefundWrittenFirst writes it down and then asks for the money. A crash in between pays nothing.
func (s Shop) RefundWrittenFirst(ctx context.Context, order string) error {
	if done, err := s.done(ctx, order); err != nil || done {
		return err
	}
	if err := s.write(ctx, order); err != nil {
		return err
	}
	return s.request(ctx, order, "refund-"+order)
}

func (s Shop) done(ctx context.Context, order string) (bool, error) {
	if _, err := s.DB.ExecContext(ctx, "create table if not exists refunds (id text primary key)"); err != nil {
		return false, err
	}
	n := 0
	err := s.DB.QueryRowContext(ctx, "select count(*) from refunds where id = ?", order).Scan(&n)
	return n > 0, err
}

func (s Shop) write(ctx context.Context, order string) error {
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "insert into refunds values (?)", order); err != nil {
		return err
	}
	return tx.Commit()
}

func (s Shop) request(ctx context.Context, order, key string) error {
	body, err := json.Marshal(map[string]any{"order": order, "amount_cents": 995, "reason": "late"})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/refunds", bytes.NewReader(body))
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", resp.Status)
	}
	return nil
}
