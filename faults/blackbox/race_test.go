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

// A lock file that is made and taken away is made by whoever gets the lock, and by no other.
func TestRecord_LockFileIsMadeOncePerOwner(t *testing.T) {
	cfg := target(t, "exclusive")
	for range 20 {
		got := names(record(t, cfg).Calls)
		if strings.Count(got, "sys.openat[lock]") != 3 || strings.Count(got, "sys.unlinkat[lock]") != 3 {
			t.Fatalf("the lock is not made and removed three times each:\n%s", got)
		}
	}
}

// Every kill of such a program lands, and what it has said is there.
func TestSweep_ManyOpenTheSameNewFile(t *testing.T) { manyOpen(t, 1) }

// Several times in a row: who comes first is chance.
func TestSweep_ManyOpenEveryTime(t *testing.T) {
	forTheGate(t)
	manyOpen(t, 3)
}

func manyOpen(t *testing.T, rounds int) {
	for _, program := range []string{"race", "children", "exclusive"} {
		t.Run(program, func(t *testing.T) {
			cfg := target(t, program)
			cfg.Recover, cfg.Acked = []string{"/bin/true"}, regexp.MustCompile(`^done (.*)`)
			cfg.Check = []string{"/bin/sh", "-c", `while read -r line; do grep -qx "$line" journal || { echo "$line is lost"; exit 1; }; done < "$PAYTWICE_ACKED"`}
			cfg.Sides, cfg.PowerLoss, cfg.Power.Images = blackbox.BothSides, program == "race", 40
			for range rounds {
				r := sweep(t, cfg)
				if len(r.Violations) > 0 || r.Kills.Landed != 2*r.Calls || r.Reordered > 0 {
					t.Errorf("%+v", r)
				}
				t.Logf("%d calls; kills: %s; %d retried; power: %s", r.Calls, r.Kills, r.Retried, r.PowerLoss)
			}
		})
	}
}
