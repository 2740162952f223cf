package shop

import (
	"testing"

	"github.com/paytwice/paytwice/explorer"
)

// Finds checks that exactly one thing is broken, and which plan shows it.
func Finds(t *testing.T, p explorer.Program, invariant, plan string) {
	t.Helper()
	found := explorer.Find(t, p)
	if len(found) != 1 || found[0].Invariant != invariant || found[0].Plan.String() != plan {
		t.Errorf("found %v, want %s by %s", found, invariant, plan)
	}
}
