package gopterplan_test

import (
	"slices"
	"testing"
	"time"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/commands"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/gopterplan"
	"github.com/paytwice/paytwice/faults/internal/toyshop"
)

func points(t *testing.T, cart ...string) []faults.Point {
	t.Helper()
	found, err := faults.Survey(func(in *faults.Injector) error { return toyshop.New().Pay(in, cart) })
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestPlans_WithinTheirBounds(t *testing.T) {
	all := points(t, "a", "b")
	opts := gopterplan.Options{
		MaxEvents: 5,
		Verbs:     []faults.Verb{faults.Kill, faults.LoseResponse, faults.Pause, faults.Advance},
		Durations: []time.Duration{time.Second, time.Hour},
	}
	properties := gopter.NewProperties(gopter.DefaultTestParametersWithSeed(1))
	properties.Property("a plan prints, parses and keeps to its points", prop.ForAll(func(plan faults.Plan) bool {
		again, err := faults.Parse(plan.String())
		if err != nil || again.String() != plan.String() || plan.Faults() > opts.MaxEvents {
			return false
		}
		for _, life := range plan {
			for _, e := range life {
				if e.Verb == faults.Kill && !slices.Contains(all, e.Point) {
					return false
				}
			}
		}
		return true
	}, gopterplan.Plans(all, opts)))
	properties.TestingRun(t)
}

// Each plan that fails shrinks to the same smallest one.
func TestPlans_ShrinkToTheSmallest(t *testing.T) {
	cart := []string{"a", "b"}
	for seed := range int64(20) {
		property := prop.ForAll(func(plan faults.Plan) (string, error) {
			world := toyshop.New()
			if err := world.Run(plan, cart); err != nil {
				return "", err
			}
			if world.Twice(cart) != "" {
				return plan.String(), nil
			}
			return "", nil
		}, gopterplan.Plans(points(t, cart...), gopterplan.Options{}))
		result := property.Check(gopter.DefaultTestParametersWithSeed(seed))
		if result.Status != gopter.TestFailed || result.Labels[0] != "kill shop.charge/after#1" {
			t.Errorf("seed %d: %s %v", seed, result.Status, result.Labels)
		}
	}
}

func TestPlans_WithoutPoints(t *testing.T) {
	result := gopterplan.Plans(nil, gopterplan.Options{})(gopter.DefaultGenParameters())
	if plan, ok := result.Retrieve(); !ok || len(plan.(faults.Plan)) != 0 {
		t.Errorf("plan %v, %v", plan, ok)
	}
}

// A provider that charges by key survives every crash of every command.
func TestCommands_SafeProgram(t *testing.T) {
	orders := &commands.ProtoCommands{
		NewSystemUnderTestFunc: func(commands.State) commands.SystemUnderTest {
			world := toyshop.New()
			world.ByKey = true
			return &shop{world: world}
		},
		InitialStateGen: gen.Const(0),
		GenCommandFunc: func(commands.State) gopter.Gen {
			return gen.OneConstOf(commands.Command(order("a")), commands.Command(order("b")))
		},
	}
	parameters := gopter.DefaultTestParametersWithSeed(1)
	parameters.MaxSize = 8
	properties := gopter.NewProperties(parameters)
	properties.Property("no order is charged twice", commands.Prop(gopterplan.Commands(orders, gopterplan.Options{})))
	properties.TestingRun(t)
}

func TestCommands_SystemThatCanNotBeStarted(t *testing.T) {
	inner := &commands.ProtoCommands{NewSystemUnderTestFunc: func(commands.State) commands.SystemUnderTest { return 1 }}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	gopterplan.Commands(inner, gopterplan.Options{}).NewSystemUnderTest(0)
}
