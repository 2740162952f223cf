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
