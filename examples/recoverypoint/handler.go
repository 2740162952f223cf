// Package recoverypoint is a payment handler that remembers, for each request of its own callers, how far it
// came: started, charged, finished. A request that comes again goes on from there.
//
// The pattern: https://brandur.org/idempotency-keys. Its rule is that a recovery point is saved after the
// foreign call that it stands for. The broken form saves it before, so a crash in between skips the charge.
package recoverypoint

import (
	"context"
	"database/sql"
	"net/http"

	"github.com/paytwice/paytwice/examples/internal/shop"
)

// Handler answers POST with an Idempotency-Key of the caller's; the order is in the query.
type Handler struct {
	DB       *sql.DB
	Provider shop.Provider
	// SavesFirst is the broken form.
	SavesFirst bool
}

func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, order := r.Header.Get("Idempotency-Key"), r.URL.Query().Get("order")
	if key == "" || order == "" {
		http.Error(w, "an Idempotency-Key and an order are needed", http.StatusBadRequest)
		return
	}
	if err := h.pay(r.Context(), key, order); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// pay does the phases that are left.
func (h Handler) pay(ctx context.Context, key, order string) error {
	point, err := h.start(ctx, key)
	if err != nil {
		return err
	}
	if point == "started" {
		charge := func() error { return h.Provider.Send(ctx, "charges", order, "charge-"+key) }
		save := func() error { return h.save(ctx, key, "charged") }
		steps := []func() error{charge, save}
		if h.SavesFirst {
			steps = []func() error{save, charge}
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
	}
	return h.save(ctx, key, "finished")
}

// start returns the recovery point of a key, which is started for a new one.
func (h Handler) start(ctx context.Context, key string) (point string, err error) {
	if _, err := h.DB.ExecContext(ctx, "create table if not exists keys (key text primary key, point text not null)"); err != nil {
		return "", err
	}
	if _, err := h.DB.ExecContext(ctx, "insert or ignore into keys values (?, 'started')", key); err != nil {
		return "", err
	}
	return point, h.DB.QueryRowContext(ctx, "select point from keys where key = ?", key).Scan(&point)
}

func (h Handler) save(ctx context.Context, key, point string) error {
	_, err := h.DB.ExecContext(ctx, "update keys set point = ? where key = ?", point, key)
	return err
}
