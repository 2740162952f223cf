package outbox_test

import (
	"context"
	"testing"

	"github.com/paytwice/paytwice/examples/internal/shop"
	"github.com/paytwice/paytwice/examples/outbox"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults/provider"
)

func program(key func(order string) string) explorer.Program {
	return explorer.Program{
		Provider: provider.ReplayAll(),
		Want:     explorer.ExactlyOnce("order-1"),
		Run: func(ctx context.Context, env *explorer.Env) error {
			db, err := shop.Open(env)
			if err != nil {
				return err
			}
			defer db.Close()
			if err := outbox.Checkout(ctx, db, "order-1"); err != nil {
				return err
			}
			return outbox.Sender{DB: db, Provider: shop.Of(env), Key: key}.Send(ctx)
		},
	}
}

func TestBroken(t *testing.T) {
	shop.Finds(t, program(nil), "double-write", "kill provider.charge/during#1")
}

func TestMended(t *testing.T) {
	explorer.Test(t, program(func(order string) string { return "charge-" + order }))
}
