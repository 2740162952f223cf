package graphnode_test

import (
	"os"
	"testing"
)

// forTheGate leaves a long test to the gate, which sets PAYTWICE_GATE: the others say enough while one works.
func forTheGate(t *testing.T) {
	t.Helper()
	if os.Getenv("PAYTWICE_GATE") == "" {
		t.Skip("part of the gate: set PAYTWICE_GATE to run it")
	}
}
