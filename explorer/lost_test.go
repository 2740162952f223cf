package explorer_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/faults"
)

// breaking is a world in which something else happens instead of a recovery, or of an outcome after one.
type breaking struct {
	*toy
	where   string
	happens func()
}

func (w breaking) Run(ctx context.Context, from explorer.State, life faults.Life) (explorer.Incarnation, error) {
	if w.where == "life" && from.(durable).lives > 0 {
		w.happens()
	}
	return w.toy.Run(ctx, from, life)
}

func (w breaking) Outcome(ctx context.Context, s explorer.State) (*check.Outcome, error) {
	if w.where == "outcome" && s.(durable).lives > 1 {
		w.happens()
	}
	return w.toy.Outcome(ctx, s)
}

// bounds are the ways in which a search may run lives.
var bounds = map[string]explorer.Options{
	"one worker":              {Crashes: 1, Settings: toySettings},
	"one worker, watched":     {Crashes: 1, Settings: toySettings, Timeout: time.Hour},
	"several workers":         {Crashes: 1, Settings: toySettings, Workers: 3},
	"several workers watched": {Crashes: 1, Settings: toySettings, Workers: 3, Timeout: time.Hour},
}

// A panic of the harness is never a verdict and never the end of the process: it is an error that names the plan.
func TestExplore_HarnessPanics(t *testing.T) {
	for name, o := range bounds {
		for where, life := range map[string]string{"life": "kill service.pay/before#1; run", "outcome": "kill service.pay/before#1"} {
			t.Run(name+" "+where, func(t *testing.T) {
				w := breaking{program("pay0 save"), where, func() { panic("own panic") }}
				_, err := explorer.Explore(t.Context(), w, o)
				var panicked *explorer.PanicError
				if !errors.As(err, &panicked) || panicked.Plan.String() != life || !strings.Contains(err.Error(), life) ||
					!strings.Contains(err.Error(), "internal error, please report it: own panic\n") || !strings.Contains(err.Error(), "lost_test.go") {
					t.Fatalf("searched: %v", err)
				}
				_, err = explorer.Replay(t.Context(), w, parse(t, "kill service.pay/before#1"), o)
				if !errors.As(err, &panicked) || !strings.HasPrefix(panicked.Plan.String(), "kill service.pay/before#1") {
					t.Errorf("replayed: %v", err)
				}
			})
		}
	}
}

// A life that ends its goroutine is noticed at once where lives are watched, and named.
func TestExplore_GoneLives(t *testing.T) {
	for name, o := range bounds {
		if o.Timeout == 0 {
			continue // It ends whoever called, as it does everywhere in Go.
		}
		t.Run(name, func(t *testing.T) {
			w := breaking{program("pay0 save"), "life", runtime.Goexit}
			_, err := explorer.Explore(t.Context(), w, o)
			var gone *explorer.GoneError
			const plan = "kill service.pay/before#1; run"
			if !errors.As(err, &gone) || gone.Plan.String() != plan || !strings.HasPrefix(err.Error(), `plan "`+plan+`": life 2 ended its goroutine`) {
				t.Fatalf("searched: %v", err)
			}
			_, err = explorer.Replay(t.Context(), w, parse(t, "kill service.pay/before#1"), o)
			if !errors.As(err, &gone) || gone.Plan.String() != plan {
				t.Errorf("replayed: %v", err)
			}
			w.where = "outcome"
			if _, err = explorer.Explore(t.Context(), w, o); err == nil || !strings.Contains(err.Error(), "Goexit") {
				t.Errorf("in a judgement: %v", err)
			}
		})
	}
}

// A job that ends its goroutine is an error also where nobody watches: what it was to find is missing.
func TestInParallel_GoneJob(t *testing.T) {
	for range 10 {
		err := explorer.InParallel(20, 3, func(i int) error {
			if i >= 4 {
				time.Sleep(2 * time.Millisecond) // The next job is waiting to be handed out by then.
				runtime.Goexit()
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "Goexit") {
			t.Fatal(err)
		}
	}
}

// A job's panic is its error, the lowest index goes first, and no further job is begun.
func TestInParallel_Errors(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for range 50 {
			last := make([]bool, 1000)
			err := explorer.InParallel(len(last), workers, func(i int) error {
				last[i] = true
				switch i {
				case 5:
					return errors.New("five")
				case 4:
					panic("four")
				}
				if i > 5 {
					time.Sleep(time.Millisecond)
				}
				return nil
			})
			var panicked *explorer.PanicError
			if !errors.As(err, &panicked) || panicked.Value != "four" || last[len(last)-1] {
				t.Fatalf("%d workers: %v; the last one was begun: %v", workers, err, last[len(last)-1])
			}
		}
	}
}
