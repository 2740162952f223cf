package batch_test

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/scenarios/batch"
	"github.com/paytwice/paytwice/scenarios/catalog"
)

// The lesson's crash table, from real runs of the form without a key.
func ExampleTable() {
	s, err := catalog.ByName(batch.NoKey)
	if err != nil {
		fmt.Println(err)
		return
	}
	world, err := s.Simulate(s.Setting)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := batch.Table(context.Background(), world)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rows {
		fmt.Printf("%-35s | %-8s | %s\n", r.Falls, r.Record, r.Resumed)
	}
	// Output:
	// before the start of the step        | nothing  | run it
	// in the step, before its effect      | begun    | retry
	// after its effect, before the finish | begun    | retry, and the effect repeats
	// after the finish                    | finished | skip
}
