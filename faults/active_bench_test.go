package faults_test

import (
	"testing"

	"github.com/paytwice/paytwice/faults"
)

// BenchmarkHere measures a point with nothing armed; internal/bench sets it beside those of other packages.
func BenchmarkHere(b *testing.B) {
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		faults.Here(ctx, "charged")
	}
}
