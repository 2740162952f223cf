// Package riverjob refunds in a background job, on River over SQLite.
//
// River runs a job at least once: a worker that ended in the middle leaves the job running, and somebody
// sets it back. So the job's call needs a key, and a key that has the attempt in it, the broken form, is
// another one each time. The job's id is the same.
package riverjob

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/paytwice/paytwice/examples/internal/shop"
	"github.com/paytwice/paytwice/faults"
)

// RefundArgs says what a job refunds.
type RefundArgs struct {
	Order string `json:"order"`
}

// Kind implements river.JobArgs.
func (RefundArgs) Kind() string { return "refund" }

// Worker works refunds.
type Worker struct {
	river.WorkerDefaults[RefundArgs]
	Provider shop.Provider
	// KeyPerAttempt is the broken form.
	KeyPerAttempt bool
}

// Work implements river.Worker.
func (w *Worker) Work(ctx context.Context, job *river.Job[RefundArgs]) error {
	key := fmt.Sprintf("job-%d", job.ID)
	if w.KeyPerAttempt {
		key = fmt.Sprintf("job-%d-attempt-%d", job.ID, job.Attempt)
	}
	if err := w.Provider.Send(ctx, "refunds", job.Args.Order, key); err != nil {
		return err
	}
	faults.Here(ctx, "refunded") // River writes the job's end after this
	return nil
}

// Run is one life of the only worker process there is: it queues the refund of an order once, and works
// until that job is completed.
func Run(ctx context.Context, db *sql.DB, worker *Worker, order string) error {
	db.SetMaxOpenConns(1) // as River asks for SQLite
	driver := riversqlite.New(db)
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	// What runs now was begun by a process that is gone. With several workers this is the rescuer's work.
	if _, err := db.ExecContext(ctx, "update river_job set state = 'available' where state in ('running', 'retryable')"); err != nil {
		return err
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, worker)
	client, err := river.NewClient(driver, &river.Config{
		Logger: slog.New(slog.DiscardHandler), Workers: workers, TestOnly: true, FetchCooldown: 10 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}},
	})
	if err != nil {
		return err
	}
	var state string
	err = db.QueryRowContext(ctx, "select state from river_job").Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = client.Insert(ctx, RefundArgs{order}, nil)
	}
	if err != nil || state == "completed" {
		return err
	}
	ended, cancel := client.Subscribe(river.EventKindJobCompleted, river.EventKindJobFailed)
	defer cancel()
	if err := client.Start(ctx); err != nil {
		return err
	}
	event := <-ended
	if err := client.Stop(ctx); err != nil {
		return err
	}
	if event.Kind != river.EventKindJobCompleted {
		return fmt.Errorf("job %d failed", event.Job.ID)
	}
	return nil
}
