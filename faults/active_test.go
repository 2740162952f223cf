//go:build !paytwice_off

package faults_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/faults"
)

func pointsOf(texts ...string) (points []faults.Point) {
	for _, text := range texts {
		p, err := faults.ParsePoint(text)
		if err != nil {
			panic(err)
		}
		points = append(points, p)
	}
	return points
}

func killed(text string) *faults.Injector {
	return faults.NewInjector(faults.Life{faults.KillAt(pointsOf(text)[0])}, faults.Options{})
}

func TestHere_ArmedAndDisarmed(t *testing.T) {
	ctx := t.Context()
	program := func() error {
		faults.Here(ctx, "charged")
		faults.Here(ctx, "marked")
		return nil
	}
	in := killed("point.marked/before#1")
	faults.Arm(in)
	defer faults.Disarm()
	if faults.Armed(ctx) != in {
		t.Error("Armed is not the armed one")
	}
	at, crashed, err := in.Catch(program)
	if !crashed || at.String() != "point.marked/before#1" || err != nil {
		t.Errorf("crashed %v at %s, error %v", crashed, at, err)
	}
	if _, crashed, _ := in.Catch(func() error { faults.Here(ctx, "afterwards"); return nil }); !crashed {
		t.Error("a dead process came to life")
	}
	faults.Disarm()
	if _, crashed, err := faults.Catch(program); crashed || err != nil {
		t.Errorf("disarmed: crashed %v, error %v", crashed, err)
	}
}

// A context's injector goes before the process's, so tests beside each other need no process-wide one.
func TestWithInjector_GoesFirst(t *testing.T) {
	var process, own faults.Trace
	faults.Arm(faults.NewInjector(nil, faults.Options{Pass: process.Pass}))
	defer faults.Disarm()
	ctx := faults.WithInjector(t.Context(), faults.NewInjector(nil, faults.Options{Pass: own.Pass}))
	faults.Here(ctx, "a")
	faults.Here(context.Background(), "b")
	if diff := cmp.Diff(pointsOf("point.a/before#1"), own.Points()); diff != "" {
		t.Errorf("context (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(pointsOf("point.b/before#1"), process.Points()); diff != "" {
		t.Errorf("process (-want +got):\n%s", diff)
	}
}

func TestArm_Misuse(t *testing.T) {
	in := faults.NewInjector(nil, faults.Options{})
	for name, c := range map[string]struct {
		do   func()
		says string
	}{
		"nothing":  {func() { faults.Arm(nil) }, "no injector"},
		"twice":    {func() { faults.Arm(in); faults.Arm(in) }, "armed already"},
		"bad name": {func() { faults.Here(faults.WithInjector(t.Context(), in), "Bad Name") }, `"Bad Name"`},
	} {
		t.Run(name, func(t *testing.T) {
			defer faults.Disarm()
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, c.says) {
					t.Errorf("panic %q, want %q", said, c.says)
				}
			}()
			c.do()
		})
	}
}

func TestHere_GoroutinesAreNumberedAsTheyEnter(t *testing.T) {
	var trace faults.Trace
	ctx := faults.WithInjector(t.Context(), faults.NewInjector(nil, faults.Options{Pass: trace.Pass}))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { faults.Here(ctx, "charged") })
	}
	wg.Wait()
	var numbers []int
	for _, p := range trace.Points() {
		numbers = append(numbers, p.N)
	}
	slices.Sort(numbers)
	if len(numbers) != 16 || numbers[0] != 1 || numbers[15] != 16 {
		t.Errorf("numbers %v", numbers)
	}
}

func TestInjector_Add(t *testing.T) {
	life := make(faults.Life, 0, 4) // room that is the caller's
	var in *faults.Injector
	in = faults.NewInjector(life, faults.Options{Pass: func(p faults.Point) {
		if p.N == 2 {
			in.Add(faults.KillAt(p))
		}
	}})
	ctx := faults.WithInjector(t.Context(), in)
	at, crashed, _ := in.Catch(func() error {
		for range 3 {
			faults.Here(ctx, "step")
		}
		return nil
	})
	if !crashed || at.N != 2 || in.Life().String() != "kill point.step/before#2" || len(in.Unreached()) != 0 {
		t.Errorf("crashed %v at %s, life %s, unreached %v", crashed, at, in.Life(), in.Unreached())
	}
	if life[:1][0] != (faults.Event{}) {
		t.Error("the caller's slice was written to")
	}
}

// A seam that answers with ErrCrashed instead of unwinding ends a life all the same.
func TestInjector_CatchOfASoftCrash(t *testing.T) {
	in := killed("shop.charge/before#1")
	at, crashed, err := in.Catch(func() error {
		_, soft, _ := faults.Catch(func() error {
			call, err := in.Enter(faults.Site{Seam: "shop", Operation: "charge"})
			call.At(faults.Before)
			return err
		})
		if !soft {
			t.Error("no crash")
		}
		_, err := in.Enter(faults.Site{Seam: "shop", Operation: "mark"})
		return err
	})
	if !crashed || at.String() != "shop.charge/before#1" || err != nil {
		t.Errorf("crashed %v at %s, error %v", crashed, at, err)
	}
	own := errors.New("own")
	if _, crashed, err := faults.NewInjector(nil, faults.Options{}).Catch(func() error { return own }); crashed || err != own {
		t.Errorf("crashed %v, error %v", crashed, err)
	}
}

func TestSurvey(t *testing.T) {
	names := []string{"a", "b"}
	life := func(in *faults.Injector) error {
		ctx := faults.WithInjector(t.Context(), in)
		for _, name := range names {
			faults.Here(ctx, name)
		}
		return nil
	}
	points, err := faults.Survey(life)
	if diff := cmp.Diff(pointsOf("point.a/before#1", "point.b/before#1"), points); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	own := errors.New("own")
	if _, err := faults.Survey(func(*faults.Injector) error { return own }); !errors.Is(err, own) {
		t.Errorf("error %v", err)
	}
	// The second run passes its points the other way round.
	_, err = faults.Survey(func(in *faults.Injector) error {
		slices.Reverse(names)
		return life(in)
	})
	var order *faults.OrderError
	if !errors.As(err, &order) || order.Index != 0 {
		t.Fatalf("error %v", err)
	}
	want := "the order of points is not deterministic: as number 1 one run passed point.b/before#1 and another point.a/before#1; " +
		"points come from goroutines beside each other, a map's order, a clock or a random number"
	if err.Error() != want {
		t.Errorf("says %q", err)
	}
}

func TestSameOrder_OneRunEnded(t *testing.T) {
	err := faults.SameOrder(pointsOf("a.b/after#1"), nil)
	if err == nil || !strings.Contains(err.Error(), "one run passed a.b/after#1 and another none") {
		t.Errorf("error %v", err)
	}
	if err := faults.SameOrder(nil, nil); err != nil {
		t.Errorf("error %v", err)
	}
}

func TestErrNoAnswer_IsATimeout(t *testing.T) {
	var timeout interface{ Timeout() bool }
	if !errors.As(faults.ErrNoAnswer, &timeout) || !timeout.Timeout() {
		t.Error("no time-out")
	}
}

func TestHere_NothingArmedAllocatesNothing(t *testing.T) {
	faults.Disarm()
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() { faults.Here(ctx, "charged") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
