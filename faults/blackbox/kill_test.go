package blackbox_test

import (
	"context"
	"slices"
	"testing"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/blackbox"
)

// killEverywhere kills a program before and after each call of its trace and checks that kill k sees the
// first k calls and no other.
func killEverywhere(t *testing.T, cfg blackbox.Config) {
	t.Helper()
	tr := record(t, cfg)
	for i, c := range tr.Calls {
		for _, pos := range []faults.Position{faults.Before, faults.After} {
			k, err := blackbox.Kill(context.Background(), cfg, tr, c.Point(pos))
			if err != nil {
				t.Fatalf("%s: %v", c.Point(pos), err)
			}
			want := tr.Calls[:i]
			if pos == faults.After {
				want = tr.Calls[:i+1]
			}
			if k.Reordered || !slices.Equal(k.Calls, want) {
				t.Fatalf("%s (reordered: %v) saw:\n%swant:\n%s", c.Point(pos), k.Reordered, names(k.Calls), names(want))
			}
		}
	}
}

func TestKill_EachSeesOneCallMore(t *testing.T) {
	for _, args := range [][]string{{"careful"}, {"threads"}, {"locks"}, {"kinds"}, {"many"}, {"execs"}} {
		t.Run(args[0], func(t *testing.T) { killEverywhere(t, target(t, args...)) })
	}
}
