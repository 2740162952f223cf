package shop

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/faults/sqlfault"
	"modernc.org/sqlite"
)

func refunds(refund func(Shop, context.Context) error) explorer.Program {
	return explorer.Program{Provider: provider.ReplayAll(), Want: explorer.ExactlyOnce("order-1"), Run: func(ctx context.Context, env *explorer.Env) error {
		connector, err := sqlite.NewConnector(filepath.Join(env.Dir(), "shop.db"))
		if err != nil {
			return err
		}
		db := sql.OpenDB(sqlfault.NewConnector(connector, nil))
		defer db.Close()
		return refund(Shop{db, env.HTTPClient(), env.ProviderURL()}, ctx)
	}}
}

func TestNaive(t *testing.T) {
	explorer.Test(t, refunds(func(s Shop, ctx context.Context) error { return s.Refund(ctx, "order-1", "") }))
}
func TestMended(t *testing.T) {
	explorer.Test(t, refunds(func(s Shop, ctx context.Context) error { return s.Refund(ctx, "order-1", "refund-order-1") }))
}
func TestWrittenFirst(t *testing.T) {
	explorer.Test(t, refunds(func(s Shop, ctx context.Context) error { return s.RefundWrittenFirst(ctx, "order-1") }))
}
