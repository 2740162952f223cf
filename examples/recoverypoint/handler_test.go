package recoverypoint_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/paytwice/paytwice/examples/internal/shop"
	"github.com/paytwice/paytwice/examples/recoverypoint"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults/provider"
)

// program is a server that gets one request; its caller sends it again, under the same key, after a crash.
func program(savesFirst bool) explorer.Program {
	return explorer.Program{
		Provider: provider.ReplayAll(),
		Want:     explorer.ExactlyOnce("order-1"),
		Run: func(ctx context.Context, env *explorer.Env) error {
			db, err := shop.Open(env)
			if err != nil {
				return err
			}
			defer db.Close()
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/pay?order=order-1", nil)
			r.Header.Set("Idempotency-Key", "caller-1")
			w := httptest.NewRecorder()
			recoverypoint.Handler{DB: db, Provider: shop.Of(env), SavesFirst: savesFirst}.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				return fmt.Errorf("%d: %s", w.Code, w.Body)
			}
			return nil
		},
	}
}

func TestBroken(t *testing.T) {
	shop.Finds(t, program(true), "lost-write", "kill sql.exec/after#3")
}

func TestMended(t *testing.T) { explorer.Test(t, program(false)) }
