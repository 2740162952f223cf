// Package outbox is a checkout that writes the order and the charge to be made in one transaction, and a
// sender that makes the charges which are not marked as sent.
//
// The outbox makes sure that no charge is forgotten. It does not make sure that none is sent twice: between
// the provider's answer and the mark there is a moment in which the process can end. What helps is a key that
// is the same each time, and the outbox row has one: its id.
package outbox

import (
	"context"
	"database/sql"

	"github.com/paytwice/paytwice/examples/internal/shop"
)

const schema = `
create table if not exists orders (id text primary key);
create table if not exists outbox (id integer primary key, order_id text unique, sent integer not null default 0);`

// Checkout writes the order and its outbox row, both or neither.
func Checkout(ctx context.Context, db *sql.DB, order string) error {
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "insert or ignore into orders values (?)", order); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "insert or ignore into outbox (order_id) values (?)", order); err != nil {
		return err
	}
	return tx.Commit()
}

// Sender makes the charges that wait in the outbox.
type Sender struct {
	DB       *sql.DB
	Provider shop.Provider
	// Key names a row's charge; nil, the broken form, names none.
	Key func(order string) string
}

// Send makes them all.
func (s Sender) Send(ctx context.Context) error {
	for {
		var order string
		err := s.DB.QueryRowContext(ctx, "select order_id from outbox where sent = 0 order by id limit 1").Scan(&order)
		if err == sql.ErrNoRows {
			return nil
		}
		if err != nil {
			return err
		}
		key := ""
		if s.Key != nil {
			key = s.Key(order)
		}
		if err := s.Provider.Send(ctx, "charges", order, key); err != nil {
			return err
		}
		if _, err := s.DB.ExecContext(ctx, "update outbox set sent = 1 where order_id = ?", order); err != nil {
			return err
		}
	}
}
