package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// Programs under test are built once, when the first test asks for them.
var built struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// program returns the path of a program of testdata, without cgo: linking the C library slows its start.
func program(t testing.TB, name string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "blackbox-test-")
		if err != nil {
			t.Fatal(err)
		}
		built.dir, built.paths = dir, map[string]string{}
	}
	if path := built.paths[name]; path != "" {
		return path
	}
	if path := os.Getenv("BLACKBOX_TARGET"); path != "" && name == "target" {
		return path
	}
	path := filepath.Join(built.dir, name)
	cmd := exec.Command("go", "build", "-o", path, "./testdata/"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	built.paths[name] = path
	return path
}

// need skips a test where programs can't be crashed.
func need(t testing.TB) {
	t.Helper()
	if err := blackbox.Available(); err != nil {
		if errors.Is(err, blackbox.ErrPlatform) || errors.Is(err, blackbox.ErrUnavailable) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
}

// target returns the configuration that runs one of the small programs, in a work folder that must be
// empty when the test ends.
func target(t testing.TB, args ...string) blackbox.Config {
	t.Helper()
	need(t)
	work, err := os.MkdirTemp("/dev/shm", "blackbox-work-")
	if err != nil {
		work = t.TempDir()
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
			t.Errorf("left in the work folder: %v, %v", left, err)
		}
		_ = os.RemoveAll(work)
	})
	return blackbox.Config{
		Command: append([]string{program(t, "target")}, args...),
		Env:     []string{"PATH=" + os.Getenv("PATH")},
		WorkDir: work,
		Limits:  blackbox.Limits{Timeout: 20 * time.Second},
	}
}

func record(t testing.TB, cfg blackbox.Config) *blackbox.Trace {
	t.Helper()
	tr, err := blackbox.Record(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// names returns the calls one a line.
func names(calls []blackbox.Call) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintln(&b, c)
	}
	return b.String()
}

// folderOf makes a template.
func folderOf(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	return dir
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
