package blackbox

import (
	"context"
	"sync"
)

// maxFailures is how many cases may fail in the harness before a sweep gives up.
const maxFailures = 10

// parallel does n cases on the workers. It stops early when the context ends, and after maxFailures
// failures; it returns the failure of the first case that failed.
func (s *sweep) parallel(ctx context.Context, n int, do func(ctx context.Context, worker, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	next, failures := 0, map[int]error{}
	var wg sync.WaitGroup
	for worker := range min(s.b.cfg.Workers, n) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n || ctx.Err() != nil {
					return
				}
				err := do(ctx, worker, i)
				mu.Lock()
				if err != nil && ctx.Err() == nil {
					failures[i] = err
					if len(failures) >= maxFailures {
						cancel()
					}
				}
				mu.Unlock()
				if err == nil {
					s.meter.step(s.stateCount())
				}
			}
		})
	}
	wg.Wait()
	for i := range n {
		if err := failures[i]; err != nil {
			return err
		}
	}
	return ctx.Err()
}
