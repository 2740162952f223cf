package scenarios_test

import (
	"os"
	"testing"
)

// forTheGate leaves a long test to the gate, which sets PAYTWICE_GATE: the others say enough while one works.
func forTheGate(t *testing.T) {
	t.Helper()
	if !gated() {
		t.Skip("part of the gate: set PAYTWICE_GATE to run it")
	}
}

// gated reports whether this is the gate.
func gated() bool { return os.Getenv("PAYTWICE_GATE") != "" }
