package main

import (
	"os"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// TestOtherSystems: where real kills have not been run, every command that would make them says so, before any
// work, and ends as one that could not do its work; simulations run.
func TestOtherSystems(t *testing.T) {
	old := system
	defer func() { system = old }()
	for _, system = range []string{"darwin", "windows"} {
		dir := t.TempDir()
		for _, line := range []string{
			"matrix -o DIR/out", "show --point after-write --strategy restart", "explore --mode kill -o DIR/out", "check -o DIR/out", "check --mode kill",
			"replay --mode kill run", "replay --pause run", "replay --keep DIR/kept run", "audit -o DIR/out",
		} {
			r := runs(t, strings.Fields(strings.ReplaceAll(line, "DIR", dir))...)
			if wrong := oneLine(r.Err, "^paytwice: kill mode has not been run on this system: use --mode simulate$"); r.Code != exitHarness || wrong != "" || r.Out != "" {
				t.Errorf("%s, %s: exit code %d, %s%s", system, line, r.Code, wrong, r.Out)
			}
			if _, err := os.Stat(dir + "/out"); err == nil {
				t.Errorf("%s, %s: a report was written", system, line)
			}
		}
		for _, line := range []string{"matrix --mode simulate", "explore --crashes 1", "replay run", "check refund --mode simulate --crashes 1"} {
			if r := runs(t, strings.Fields(line)...); r.Code != 0 {
				t.Errorf("%s, %s: exit code %d\n%s", system, line, r.Code, r.Err)
			}
		}
	}
}

// TestOtherSystems_Exec: what the black box says where it has not been run is no verdict.
func TestOtherSystems_Exec(t *testing.T) {
	if code := exitCode(execError(blackbox.ErrPlatform)); code != exitHarness {
		t.Errorf("exit code %d", code)
	}
}
