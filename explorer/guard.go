package explorer

import (
	"context"
	"errors"
	"time"

	"github.com/paytwice/paytwice/faults"
)

// guard watches the lives of a world in memory: a goroutine can't be ended from outside, so one that is stuck
// has to be left behind. The zero guard watches nothing.
type guard struct {
	after time.Duration
	lost  chan error
}

func newGuard(after time.Duration) guard {
	if after <= 0 {
		return guard{}
	}
	return guard{after, make(chan error, 1)}
}

// lose tells that a life is not coming back.
func (g guard) lose(err error) {
	select {
	case g.lost <- err:
	default: // Nobody watches, or another one was said to be lost before.
	}
}

// run lives one incarnation, the one after the lives of a plan, under the guard: one timer, and nothing at the
// points.
func (g guard) run(ctx context.Context, w World, from State, before faults.Plan, life faults.Life) (inc Incarnation, err error) {
	plan := func() faults.Plan { return append(append(faults.Plan{}, before...), life) }
	back := false
	defer func() {
		if !back {
			g.lose(&GoneError{Plan: plan()})
		}
	}()
	if g.lost != nil {
		defer time.AfterFunc(g.after, func() { g.lose(&StuckError{Plan: plan(), After: g.after}) }).Stop()
	}
	inc, err = safely(func() (Incarnation, error) { return w.Run(ctx, from, life) })
	back = true
	if err != nil {
		return inc, ofPlan(err, plan())
	}
	return inc, nil
}

// safely does work whose panic is an error.
func safely[T any](work func() (T, error)) (result T, err error) {
	defer caught(&err)
	return work()
}

// watched does work that starts lives, and leaves it behind when one of them is lost, or when it has not come
// back a while after it was told to: gone says so, and nothing that the work holds may be touched then without
// its agreement.
func watched[T any](g guard, told func() bool, work func() (T, error)) (result T, gone bool, err error) {
	if g.lost == nil {
		result, err = safely(work)
		return result, false, err
	}
	type done struct {
		result T
		err    error
	}
	back := make(chan done, 1)
	go func() {
		d := done{err: errGone}
		defer func() { back <- d }()
		d.result, d.err = safely(work)
	}()
	tick := time.NewTicker(patience / 4)
	defer tick.Stop()
	for late := 0; late <= 4; {
		select {
		case d := <-back:
			if errors.Is(d.err, errGone) {
				g.lose(d.err)
				return result, true, <-g.lost // The life that is gone, if it was one, said more.
			}
			return d.result, false, d.err
		case lost := <-g.lost:
			return result, true, lost
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
