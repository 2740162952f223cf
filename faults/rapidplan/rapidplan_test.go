package rapidplan_test

import (
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/toyshop"
	"github.com/paytwice/paytwice/faults/rapidplan"
)

// Examples fail on purpose, so they leave no fail files.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func points(t rapid.TB, cart ...string) []faults.Point {
	found, err := faults.Survey(func(in *faults.Injector) error { return toyshop.New().Pay(in, cart) })
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Each drawn plan is one that prints and parses, within its bounds and over its points.
func TestPlans_WithinTheirBounds(t *testing.T) {
	all := points(t, "a", "b")
	rapid.Check(t, func(t *rapid.T) {
		opts := rapidplan.Options{
			MaxEvents: rapid.IntRange(1, 6).Draw(t, "most"),
			Verbs:     []faults.Verb{faults.Kill, faults.LoseResponse, faults.Lag, faults.Pause, faults.Advance},
			Durations: []time.Duration{time.Second, 25 * time.Hour},
		}
		plan := rapidplan.Plans(all, opts).Draw(t, "plan")
		if plan.Faults() > opts.MaxEvents {
			t.Errorf("%d events, at most %d: %s", plan.Faults(), opts.MaxEvents, plan)
		}
		again, err := faults.Parse(plan.String())
		if err != nil || again.String() != plan.String() {
			t.Errorf("%q parses to %q, %v", plan, again, err)
		}
		for _, life := range plan {
			for _, e := range life {
				if e.Verb == faults.Kill && !slices.Contains(all, e.Point) {
					t.Errorf("%s is at no point of the life", e)
				}
			}
		}
	})
}

func TestPlans_WithoutPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if plan := rapidplan.Plans(nil, rapidplan.Options{}).Draw(t, "plan"); len(plan) != 0 {
			t.Errorf("plan %s", plan)
		}
	})
}

// A provider that charges by key survives every plan: the property of the examples isn't simply false.
func TestPlans_SafeProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cart := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(t, "cart")
		plan := rapidplan.Plans(points(t, cart...), rapidplan.Options{}).Draw(t, "plan")
		world := toyshop.New()
		world.ByKey = true
		if err := world.Run(plan, cart); err != nil {
			t.Fatal(err)
		}
		for _, item := range cart {
			if world.Charged[item] != 1 {
				t.Errorf("%s was charged %d times", item, world.Charged[item])
			}
		}
	})
}

func TestMachine_SafeProgram(t *testing.T) {
	kills := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		world := toyshop.New()
		world.ByKey = true
		var life *faults.Injector
		rapidplan.Machine{
			Start: func(in *faults.Injector) error { life = in; return nil },
			Actions: map[string]func(*rapid.T) func() error{"pay": func(t *rapid.T) func() error {
				cart := []string{rapid.StringN(1, 3, 3).Draw(t, "item")}
				return func() error { return world.Pay(life, cart) }
			}},
			Check: func(t *rapid.T) {
				for item, n := range world.Charged {
					if n != 1 {
						t.Errorf("%q was charged %d times", item, n)
					}
				}
			},
			Ended:    func(plan faults.Plan) { kills[plan.Faults()]++ },
			MaxKills: 2,
		}.Run(t)
	})
	if kills[1]+kills[2] == 0 || len(kills) > 3 {
		t.Errorf("runs by their kills: %v", kills)
	}
}
