package blackbox_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// Whoever comes first makes the file, and the others open it: that is one call, however many were about to make it
// when another was let in.
func TestRecord_OneOfManyMakesTheFile(t *testing.T) {
	for program, file := range map[string]string{"race": "journal", "children": "lock"} {
		t.Run(program, func(t *testing.T) {
			cfg := target(t, program)
			for range 20 {
				tr := record(t, cfg)
				if got := names(tr.Calls); strings.Count(got, "sys.openat["+file+"]") != 1 {
					t.Fatalf("%s is not made once:\n%s", file, got)
				}
			}
		})
	}
}

// Every kill of such a program lands, and what it has said is there.
func TestSweep_ManyOpenTheSameNewFile(t *testing.T) {
	for _, program := range []string{"race", "children"} {
		t.Run(program, func(t *testing.T) {
			cfg := target(t, program)
			cfg.Recover, cfg.Acked = []string{"/bin/true"}, regexp.MustCompile(`^done (.*)`)
			cfg.Check = []string{"/bin/sh", "-c", `while read -r line; do grep -qx "$line" journal || { echo "$line is lost"; exit 1; }; done < "$PAYTWICE_ACKED"`}
			cfg.Sides, cfg.PowerLoss, cfg.Power.Images = blackbox.BothSides, program == "race", 40
			for range 3 {
				r := sweep(t, cfg)
				if len(r.Violations) > 0 || r.Kills.Landed != 2*r.Calls || r.Reordered > 0 {
					t.Errorf("%+v", r)
				}
				t.Logf("%d calls; kills: %s; %d retried; power: %s", r.Calls, r.Kills, r.Retried, r.PowerLoss)
			}
		})
	}
}
