package riverjob_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/paytwice/paytwice/examples/internal/shop"
	"github.com/paytwice/paytwice/examples/riverjob"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults/provider"
	_ "modernc.org/sqlite"
)

// program leaves River's own statements without points: its goroutines come to them in no order. The points
// are those of the job.
func program(keyPerAttempt bool) explorer.Program {
	return explorer.Program{
		Provider: provider.ReplayAll(),
		Want:     explorer.ExactlyOnce("order-1"),
		Crashes:  1,
		Timeout:  time.Minute,
		Run: func(ctx context.Context, env *explorer.Env) error {
			db, err := sql.Open("sqlite", filepath.Join(env.Dir(), "river.db"))
			if err != nil {
				return err
			}
			defer db.Close()
			return riverjob.Run(ctx, db, &riverjob.Worker{Provider: shop.Of(env), KeyPerAttempt: keyPerAttempt}, "order-1")
		},
	}
}

func TestBroken(t *testing.T) {
	shop.Finds(t, program(true), "double-write", "kill provider.refund/during#1")
}

func TestMended(t *testing.T) { explorer.Test(t, program(false)) }
