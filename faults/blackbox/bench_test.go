package blackbox_test

import (
	"context"
	"testing"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/blackbox"
)

func BenchmarkKill(b *testing.B) {
	for _, args := range [][]string{{"careful"}, {"careful", "50"}, {"threads"}} {
		b.Run(args[0], func(b *testing.B) {
			cfg := target(b, args...)
			tr := record(b, cfg)
			p := tr.Calls[len(tr.Calls)-1].Point(faults.After)
			b.ReportMetric(float64(len(tr.Calls)), "calls")
			for b.Loop() {
				if _, err := blackbox.Kill(context.Background(), cfg, tr, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
