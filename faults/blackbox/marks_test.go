//go:build linux && amd64

package blackbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// A sync of a file makes durable what it has beside its bytes, too, whether it is new or was there before; without
// one that may be lost.
func TestSweep_PowerLossKeepsMarks(t *testing.T) {
	for _, mark := range []string{"mode", "attribute", "time"} {
		for _, before := range []map[string]string{nil, {"next": ""}} {
			cfg := target(t, "durable-mark", mark)
			if mark == "attribute" && syscall.Setxattr(cfg.WorkDir, "user.mark", nil, 0) != nil {
				t.Skip("needs a work folder with attributes")
			}
			if before != nil {
				cfg.Template = folderOf(t, before)
			}
			cfg.PowerLoss, cfg.Sides = true, blackbox.AfterOnly
			if r := sweep(t, cfg); len(r.Violations) > 0 || strings.Contains(r.Power, "not traced") {
				t.Errorf("%s, %v before: %+v", mark, before, r)
			}
		}
	}
}

// A file that a run does not write keeps its time in every image.
func TestSweep_PowerLossKeepsTimes(t *testing.T) {
	cfg := target(t, "untouched")
	cfg.Template = folderOf(t, map[string]string{"old": "x"})
	old := time.Unix(900_000_000, 0)
	if err := os.Chtimes(filepath.Join(cfg.Template, "old"), old, old); err != nil {
		t.Fatal(err)
	}
	cfg.PowerLoss, cfg.Sides = true, blackbox.AfterOnly
	if r := sweep(t, cfg); len(r.Violations) > 0 {
		t.Errorf("%+v", r.Violations[0])
	}
}

// What the case's folder itself has is part of its state as what is in it is.
func TestSweep_MarksOfTheFolder(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		lost    bool
	}{
		"careless": {"test -k . || { chmod 1755 . && mv pending log; }", true},
		"careful":  {"test -k . || { if test -e pending; then mv pending log; fi; chmod 1755 .; }", false},
	} {
		for workers := 1; workers <= 2; workers++ {
			cfg := target(t)
			cfg.Command, cfg.Template = []string{"/bin/sh", "-c", c.program}, folderOf(t, map[string]string{"pending": "C1\n"})
			cfg.ExactlyOnce, cfg.Workers, cfg.PowerLoss, cfg.Crashes = "log", workers, true, 2
			r := sweep(t, cfg)
			if lost := r.Kills.Violations[blackbox.LostWrite] > 0; lost != c.lost || strings.Contains(r.Power, "not traced") {
				t.Errorf("%s, %d workers: %+v", name, workers, r)
			}
			for _, v := range r.Violations {
				if one, err := blackbox.Replay(t.Context(), cfg, v.Plan, blackbox.ReplayOptions{}); err != nil || len(one.Violations) == 0 {
					t.Errorf("%s, %d workers: %s does not show it again: %+v, %v", name, workers, v.Plan, one, err)
				}
			}
		}
	}
}
