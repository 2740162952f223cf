package shop

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/sqlfault"
	"modernc.org/sqlite"
)

// write is a small SQLite program: a table and a row, in the folder that it is given.
func write(ctx context.Context, dir string) error {
	connector, err := sqlite.NewConnector(filepath.Join(dir, "shop.db"))
	if err != nil {
		return err
	}
	db := sql.OpenDB(sqlfault.NewConnector(connector, nil))
	defer db.Close()
	s := Shop{DB: db}
	if done, err := s.done(ctx, "order-1"); err != nil || done {
		return err
	}
	return s.write(ctx, "order-1")
}

// TestRate is what explorer's BenchmarkKillAndRecover starts: with the harness, and one life without it.
func TestRate(t *testing.T) {
	if dir := os.Getenv("SHOP_BARE"); dir != "" {
		plan, err := faults.Parse(os.Getenv("SHOP_PLAN"))
		if err == nil {
			faults.Arm(faults.NewInjector(plan.Life(0), faults.Options{Crash: func(faults.Point) { faults.KillSelf() }}))
			err = write(t.Context(), dir)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(0)
	}
	explorer.Test(t, explorer.Program{Run: func(ctx context.Context, env *explorer.Env) error { return write(ctx, env.Dir()) }})
}
