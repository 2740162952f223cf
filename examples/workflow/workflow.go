// Package workflow refunds in a step of a durable workflow, on DBOS over SQLite.
//
// The result of a step that ended is remembered, and a step that ended is not run again. One that was under
// way when the process ended is: a step runs at least once. So its call needs a key, and the workflow's id is
// one; the broken form sends none.
package workflow

import (
	"context"
	"log/slog"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite" // keeps the workflows in SQLite

	"github.com/paytwice/paytwice/examples/internal/shop"
)

// Refunder runs the workflow.
type Refunder struct {
	Provider shop.Provider
	// NoKey is the broken form.
	NoKey bool
}

// refund is the workflow: one step.
func (r Refunder) refund(ctx dbos.Context, order string) (string, error) {
	return dbos.RunAsStep(ctx, func(ctx context.Context) (string, error) {
		key := "refund-" + order
		if r.NoKey {
			key = ""
		}
		return "refunded", r.Provider.Send(ctx, "refunds", order, key)
	}, dbos.WithStepName("refund"))
}

// Run is one life of the process: it goes on with the workflow of an order, or starts it, and waits for its
// end.
func Run(ctx context.Context, database string, r Refunder, order string) error {
	d, err := dbos.NewContext(ctx, dbos.Config{AppName: "shop", DatabaseURL: "sqlite:" + database, ApplicationVersion: "1", ExecutorID: "one",
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer dbos.Shutdown(d, 5*time.Second)
	dbos.RegisterWorkflow(d, r.refund, dbos.WithWorkflowName("refund"))
	if err := dbos.Launch(d); err != nil {
		return err
	}
	handle, err := dbos.RunWorkflow(d, r.refund, order, dbos.WithWorkflowID("refund-"+order))
	if err != nil {
		return err
	}
	_, err = handle.GetResult()
	return err
}
