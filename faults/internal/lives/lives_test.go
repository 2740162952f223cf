package lives_test

import (
	"errors"
	"testing"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/lives"
)

func TestLives_Run(t *testing.T) {
	for _, c := range []struct {
		name   string
		fuses  []int
		plan   string
		starts int
		steps  int
	}{
		{"undisturbed", nil, "run", 1, 1},
		{"killed in the start", []int{1}, "kill p.start/before#1", 2, 1},
		{"killed in the step", []int{3}, "kill p.step/before#1", 2, 2},
		{"killed in the recovery", []int{4, 2}, "kill p.step/after#1; kill p.start/after#1", 3, 2},
		{"killed in the step again", []int{3, 4}, "kill p.step/before#1; kill p.step/after#1", 3, 3},
		{"a fuse longer than the step", []int{5}, "run", 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			starts, steps := 0, 0
			var in *faults.Injector
			pass := func(operation string) error {
				call, err := in.Enter(faults.Site{Seam: "p", Operation: operation})
				if err != nil {
					return err
				}
				call.At(faults.Before)
				call.At(faults.After)
				return nil
			}
			program := lives.New(func(life *faults.Injector) error {
				starts++
				in = life
				return pass("start")
			}, func() (n int) {
				if len(c.fuses) > 0 {
					n, c.fuses = c.fuses[0], c.fuses[1:]
				}
				return n
			}, faults.Options{})
			if err := program.Run(func() error { steps++; return pass("step") }); err != nil {
				t.Fatal(err)
			}
			if got := program.Plan().String(); got != c.plan || starts != c.starts || steps != c.steps {
				t.Errorf("plan %s, %d starts, %d steps", got, starts, steps)
			}
		})
	}
}

func TestLives_Errors(t *testing.T) {
	own := errors.New("own")
	never := func() int { return 0 }
	if err := lives.New(func(*faults.Injector) error { return own }, never, faults.Options{}).Run(nil); !errors.Is(err, own) {
		t.Errorf("start: %v", err)
	}
	program := lives.New(func(*faults.Injector) error { return nil }, never, faults.Options{})
	if err := program.Run(func() error { return own }); err != own {
		t.Errorf("step: %v", err)
	}
}
