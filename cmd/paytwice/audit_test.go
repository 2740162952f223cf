package main

import (
	"io"
	"testing"
	"time"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// TestAuditOptions: --timeout bounds a life in both modes, in memory as a process.
func TestAuditOptions(t *testing.T) {
	for _, mode := range []string{matrix.Kill, matrix.Simulate} {
		o := &auditFlags{running: running{mode: cli.Choice{Value: mode}, timeout: time.Minute, workers: 3}}
		got := o.options((&program{errOut: io.Discard}).progress("audit", true))
		if got.Timeout != time.Minute || got.Kill.Timeout != time.Minute || got.Workers != 3 || got.SimulateOnly != (mode == matrix.Simulate) {
			t.Errorf("%s: %+v", mode, got)
		}
	}
}
