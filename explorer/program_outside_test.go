//go:build unix

package explorer_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutside is the library as somebody else has it: a module of its own, whose tests the go command runs.
// One form pays twice, one never, and one is right.
func TestOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	command, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "outside"))); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, bool) {
		cmd := exec.CommandContext(t.Context(), command, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "PWD="+dir)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), err == nil
	}
	if out, ok := run("mod", "edit", "-replace", "github.com/paytwice/paytwice="+root); !ok {
		t.Fatal(out)
	}
	out, ok := run("test", "-v", ".")
	if ok {
		t.Error("go test passed")
	}
	naive, rest, _ := strings.Cut(out, "=== RUN   TestMended")
	mended, first, _ := strings.Cut(rest, "=== RUN   TestWrittenFirst")
	has(t, naive, "double-write: order-1 has 2 effects", "shop.go:", "replay ", "--- FAIL: TestNaive")
	agree(t, "plans of the naive one", plans(naive), []string{"kill provider.refund/during#1"})
	has(t, mended, "killed at 14 of 14 points", "--- PASS: TestMended")
	// Only a kill between the COMMIT and the request shows that one.
	has(t, first, "lost-write: order-1 has no effect", "killed between ", "shop.go:59", "and ", "shop.go:74", "--- FAIL: TestWrittenFirst")
	agree(t, "plans of the one that writes first", plans(first), []string{"kill sql.commit/after#1"})

	replayed := exec.CommandContext(t.Context(), command, "test", "-count=1", "-run", "^TestWrittenFirst$", ".")
	replayed.Dir, replayed.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "PAYTWICE_PLAN=kill sql.commit/after#1")
	data, err := replayed.CombinedOutput()
	if err == nil {
		t.Error("the replay passed")
	}
	has(t, string(data), "plan kill sql.commit/after#1", "KILLED at sql.commit/after#1", "lost-write")
}
