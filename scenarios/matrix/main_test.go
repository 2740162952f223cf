package matrix_test

import (
	"flag"
	"os"
	"testing"

	"github.com/paytwice/paytwice/scenarios/catalog"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestMain lets the test binary be the child of its own kills.
func TestMain(m *testing.M) {
	catalog.ChildMain()
	os.Exit(m.Run())
}
