package matrix_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestMain lets the test binary be the child of its own kills, also with the pieces that tests swap.
func TestMain(m *testing.M) {
	if os.Getenv(child.Env) == swappedTask {
		swappedMain()
		return
	}
	catalog.ChildMain()
	os.Exit(m.Run())
}

// swappedTask names the child's main of mutation_test.go.
const swappedTask = "matrix-swapped"

func swappedMain() {
	seat, err := child.Attach()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	end, err := scenarios.PlantedChild(context.Background(), seat, func(s scenarios.Setting) (scenarios.Planting, error) {
		p, ok := swaps[s.Scenario]
		if !ok {
			return p, fmt.Errorf("unknown swap %q", s.Scenario)
		}
		return p, nil
	})
	seat.End(end, err)
}
