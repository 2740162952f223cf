package field_test

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios/field"
)

// The first report in both forms: one lost answer is enough, or nothing is.
func Example() {
	for _, s := range field.Scenarios()[:2] {
		world, _ := s.Simulate(s.Setting)
		settings, _ := s.Settings(s.Setting)
		r, _ := explorer.Explore(context.Background(), world, explorer.Options{
			Crashes: 2, Faults: []faults.Event{{Verb: faults.LoseResponse}}, Settings: settings,
		})
		fmt.Printf("%s: %s\n", s.Name, r.Verdict())
		for _, c := range r.Found {
			if c.Invariant == s.Expect {
				fmt.Printf("%s: %s\n", c.Invariant, c.Plan)
			}
		}
	}
	// Output:
	// field/F01: pass
	// field/F01-broken: violation
	// double-write: lose-response provider.refund/during#1
}
