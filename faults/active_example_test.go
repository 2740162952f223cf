//go:build !paytwice_off

package faults_test

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/faults"
)

// A program marks the moment between its two effects, and is killed there.
func ExampleHere() {
	charged, recorded := 0, 0
	program := func(ctx context.Context) error {
		charged++
		faults.Here(ctx, "charged")
		recorded++
		return nil
	}

	plan, err := faults.Parse("kill point.charged/before#1")
	if err != nil {
		panic(err)
	}
	in := faults.NewInjector(plan.Life(0), faults.Options{})
	at, crashed, _ := in.Catch(func() error { return program(faults.WithInjector(context.Background(), in)) })
	fmt.Println("crashed", crashed, "at", at)
	fmt.Println("charged", charged, "recorded", recorded)
	// Output:
	// crashed true at point.charged/before#1
	// charged 1 recorded 0
}

// The points over which plans are drawn are those of an undisturbed life.
func ExampleSurvey() {
	points, err := faults.Survey(func(in *faults.Injector) error {
		ctx := faults.WithInjector(context.Background(), in)
		faults.Here(ctx, "reserved")
		faults.Here(ctx, "charged")
		faults.Here(ctx, "charged")
		return nil
	})
	fmt.Println(points, err)
	// Output: [point.reserved/before#1 point.charged/before#1 point.charged/before#2] <nil>
}
