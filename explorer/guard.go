package explorer

import (
	"context"
	"slices"
	"time"

	"github.com/paytwice/paytwice/faults"
)

// guard watches the lives of a world in memory: a goroutine can't be ended from outside, so one that is stuck
// has to be left behind. The zero guard watches nothing.
type guard struct {
	after time.Duration
	stuck chan *StuckError
}

func newGuard(after time.Duration) guard {
	if after <= 0 {
		return guard{}
	}
	return guard{after, make(chan *StuckError, 1)}
}

// run lives one incarnation, the one after the lives of a plan, under the guard: one timer, and nothing at the
// points.
func (g guard) run(ctx context.Context, w World, from State, before faults.Plan, life faults.Life) (Incarnation, error) {
	if g.stuck == nil {
		return w.Run(ctx, from, life)
	}
	timer := time.AfterFunc(g.after, func() {
		select {
		case g.stuck <- &StuckError{Plan: append(slices.Clone(before), life), After: g.after}:
		default: // Another one was said to be stuck before.
		}
	})
	defer timer.Stop()
	return w.Run(ctx, from, life)
}

// watched does work that starts lives, and leaves it behind when one of them is stuck, or when it has not come
// back a while after it was told to: gone says so, and nothing that the work holds may be touched then without
// its agreement.
func watched[T any](g guard, told func() bool, work func() (T, error)) (result T, gone bool, err error) {
	if g.stuck == nil {
		result, err = work()
		return result, false, err
	}
	type done struct {
		result T
		err    error
	}
	back := make(chan done, 1)
	go func() {
		r, err := work()
		back <- done{r, err}
	}()
	tick := time.NewTicker(patience / 4)
	defer tick.Stop()
	for late := 0; late <= 4; {
		select {
		case d := <-back:
			return d.result, false, d.err
		case stuck := <-g.stuck:
			return result, true, stuck
		case <-tick.C:
			if told() {
				late++
			}
		}
	}
	return result, true, nil
}

// patience is how long work may take to come back once it was told to. In memory a life takes milliseconds.
const patience = time.Second
