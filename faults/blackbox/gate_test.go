package blackbox_test

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

// deep asks for all there is of a test that the gate runs in part: set PAYTWICE_DEEP beside PAYTWICE_GATE.
func deep() bool { return os.Getenv("PAYTWICE_DEEP") != "" }
