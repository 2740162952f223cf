package scenarios_test

import (
	"os"
	"testing"

	"github.com/paytwice/paytwice/scenarios/catalog"
)

func TestMain(m *testing.M) {
	catalog.ChildMain()
	os.Exit(m.Run())
}
