//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/resolver"
)

// limited runs a command in a process that may not write a file beyond a size: what it meets there is an
// error of the system, as on a full disk.
func (f folder) limited(bytes int64, args ...string) (code int, out string) {
	f.t.Helper()
	const blockBytes = 512 // of ulimit
	line := fmt.Sprintf(`ulimit -f %d && exec "$@"`, bytes/blockBytes)
	c := exec.Command("sh", append([]string{"-c", line, "sh", "resolver", "--dir", f.dir}, args...)...)
	c.Env = append(os.Environ(), "RESOLVER_DIR=")
	text, err := c.CombinedOutput()
	if c.ProcessState == nil {
		f.t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(text)
}

func (f folder) size(file string) int64 {
	f.t.Helper()
	info, err := os.Stat(filepath.Join(f.dir, file))
	if err != nil {
		f.t.Fatal(err)
	}
	return info.Size()
}

// refusedForRoom wants exit 1, the file's name and what to do.
func (f folder) refusedForRoom(bytes int64, file string, args ...string) {
	f.t.Helper()
	code, out := f.limited(bytes, args...)
	if code != exitRefused || !strings.Contains(out, filepath.Join(f.dir, file)) || !strings.Contains(out, "check the disk") {
		f.t.Errorf("resolver %s: exit %d, want 1 and the name of %s\n%s", strings.Join(args, " "), code, file, out)
	}
}

func TestNoRoom_ForTheRuns(t *testing.T) {
	f := stored(t)
	before := f.ok("runs")
	f.refusedForRoom(f.size(runsFile), runsFile, "run", "T-65273")
	f.refusedForRoom(f.size(runsFile)/2, runsFile, "approve", storedRun, "--as", "agent")
	// The new run may have got as far as there was room.
	if after := f.ok("runs"); !strings.HasPrefix(after, before) {
		t.Errorf("the saved runs were\n%sand are\n%s", before, after)
	}
	if n := len(f.changes()); n != 0 {
		t.Errorf("%d changes", n)
	}
	f.ok("approve", storedRun, "--as", "agent")
	f.ok("run", "T-65273")
}

// TestNoRoom_ForTheChanges lets the write itself fail: the command ends with the file's name, the attempt
// stays on record, nobody is called, and resume finishes.
func TestNoRoom_ForTheChanges(t *testing.T) {
	f := stored(t)
	room := f.size(runsFile) + 32<<10
	if room > f.size(practiceFile)*2/3 {
		t.Fatalf("%d and %d bytes: one file can't grow while the other can't", f.size(runsFile), f.size(practiceFile))
	}
	f.refusedForRoom(room, practiceFile, "approve", storedRun, "--as", "agent")
	s := f.state(storedRun)
	if s.Status != resolver.Executing || len(s.Operations) != 1 || s.Operations[0].Status != resolver.OperationPending || s.Operations[0].Attempts != 1 {
		t.Errorf("%s, %+v", s.Status, s.Operations)
	}
	if n := len(f.changes()); n != 0 {
		t.Errorf("%d changes", n)
	}
	if out := f.ok("resume", storedRun); !strings.Contains(out, "request_refund LK-793996: done (operation 797fbb5bbb9f8a7e, 2 call(s))") {
		t.Errorf("resume:\n%s", out)
	}
	if n := len(f.changes()); n != 1 {
		t.Errorf("%d changes", n)
	}
}
