package scenarios_test

import (
	"os"
	"testing"

	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
)

func TestMain(m *testing.M) {
	panickyMain()
	catalog.ChildMain()
	scenarios.BareMain()
	os.Exit(m.Run())
}
