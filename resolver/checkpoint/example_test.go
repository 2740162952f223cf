package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// A worker takes a run, saves a step with a line for the trail, and gives the run back.
func ExampleOpen() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "example")
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := checkpoint.Open(filepath.Join(dir, "runs.sqlite"), checkpoint.Options{Clock: newClock()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = store.Close() }()

	id, _ := store.NextRunID(ctx, "T-90104", "agent", "chat-small")
	run := resolver.NewState(resolver.Ticket{ID: "T-90104"}, id, "agent", "chat-small", 1)
	_ = store.Create(ctx, run)

	self, _ := checkpoint.ThisProcess()
	lease, _ := store.Acquire(ctx, id, self, 30*time.Second)
	_, err = store.Acquire(ctx, id, self, 30*time.Second)
	var held *resolver.LeaseHeldError
	fmt.Println("taken twice:", !errors.As(err, &held))

	run.Step = 1
	err = store.Save(ctx, run, lease, resolver.TrailEntry{Actor: "ana", What: "looked up the order"})
	fmt.Println(run.RunID, "version", run.Version, err)
	_ = store.Release(ctx, lease)

	fmt.Println("whole:", store.TrailWhole(ctx) == nil)
	// Output:
	// taken twice: false
	// T-90104-agent-chat-small-1 version 2 <nil>
	// whole: true
}

// A search goes back to an image as often as it likes.
func ExampleMemory_Restore() {
	ctx := context.Background()
	store := checkpoint.NewMemory(checkpoint.Options{Clock: newClock(), Alive: func(resolver.Holder) bool { return false }})
	_ = store.Create(ctx, resolver.NewState(resolver.Ticket{ID: "T-90104"}, "r-1", "agent", "chat-small", 1))
	before := store.Snapshot()
	for life := 1; life <= 2; life++ {
		store.Restore(before)
		run, _ := store.Load(ctx, "r-1")
		lease, _ := store.Acquire(ctx, "r-1", resolver.Holder{Host: "h", PID: life}, time.Minute)
		run.Step = 10 * life
		fmt.Println(store.Save(ctx, run, lease), run.Step, run.Version, lease.Token)
	}
	// Output:
	// <nil> 10 2 1
	// <nil> 20 2 1
}
