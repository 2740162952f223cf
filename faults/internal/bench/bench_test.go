package bench

import (
	"context"
	"testing"

	"github.com/pingcap/failpoint"
	gofail "go.etcd.io/gofail/runtime"

	"github.com/paytwice/paytwice/faults"
)

// What the tools of gofail and failpoint make of a marked line, points enabled and none active.
var fpCharged = gofail.NewFailpoint("charged")

var pkgPath = "github.com/paytwice/paytwice/faults/internal/bench"

func curpkg(name string) string { return pkgPath + "/" + name }

var done int

// BenchmarkInactivePoint prints all in one run: a loop with nothing in it, then each kind of point. What a
// point costs is its figure less that of the empty loop.
func BenchmarkInactivePoint(b *testing.B) {
	ctx := context.Background()
	b.Run("nothing", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			done++
		}
	})
	b.Run("paytwice", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			faults.Here(ctx, "charged")
			done++
		}
	})
	b.Run("gofail", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if v, err := fpCharged.Acquire(); err == nil {
				if _, ok := v.(struct{}); !ok {
					fpCharged.BadType(v, "struct{}")
				}
			}
			done++
		}
	})
	b.Run("failpoint", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := failpoint.Eval(curpkg("charged")); err == nil {
				done--
			}
			done++
		}
	})
	// Without its rewriting tool failpoint is an empty function and a closure.
	b.Run("failpoint, not enabled", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			failpoint.Inject("charged", func() { done-- })
			done++
		}
	})
}
