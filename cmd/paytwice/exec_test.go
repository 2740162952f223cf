package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// The batch of the lesson in two other languages, with one command each and the effects' file alone: without
// a key it charges twice, with one it does not.
func TestExec_BatchInOtherLanguages(t *testing.T) {
	forTheGate(t)
	if err := blackbox.Available(); errors.Is(err, blackbox.ErrPlatform) || errors.Is(err, blackbox.ErrUnavailable) {
		t.Skip(err)
	}
	for _, c := range []struct {
		tool, file string
		code       int
		want       string
	}{
		{"node", "careless.mjs", exitViolation, `double-write: "C\d" stands 2 times in charges.log`},
		{"node", "careful.mjs", 0, `process kill .* none`},
		{"python3", "careless.py", exitViolation, `double-write: "C\d" stands 2 times in charges.log`},
		{"python3", "careful.py", 0, `process kill .* none`},
	} {
		t.Run(c.file, func(t *testing.T) {
			tool := interpreter(t, c.tool)
			dir := t.TempDir()
			data, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "batch", c.file))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, c.file), data, 0o644); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), []string{"exec", "--exactly-once", "charges.log", "--", tool, c.file}, &stdout, &stderr); code != c.code {
				t.Errorf("exit %d, not %d\n%s%s", code, c.code, stdout.String(), stderr.String())
			}
			if !regexp.MustCompile(c.want).Match(stdout.Bytes()) {
				t.Errorf("%q is not in\n%s", c.want, stdout.String())
			}
			// Five orders are at least five writes and five notes, and each of them has two sides.
			column := regexp.MustCompile(`(?m)^process kill +(\d+) +(\d+) `).FindStringSubmatch(stdout.String())
			if column == nil || column[1] != column[2] {
				t.Fatalf("cases and landed kills: %q", column)
			}
			if n, err := strconv.Atoi(column[1]); err != nil || n < 20 {
				t.Errorf("only %s cases", column[1])
			}
			t.Log(stdout.String())
		})
	}
}

// interpreter returns the program behind a name in the path, which may be a launcher that starts it.
func interpreter(t *testing.T, name string) string {
	t.Helper()
	args := map[string][]string{"node": {"-e", "console.log(process.execPath)"}, "python3": {"-c", "import sys; print(sys.executable)"}}[name]
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Skipf("needs %s", name)
	}
	return strings.TrimSpace(string(out))
}

// What a replay line leaves out has its default there, so every flag that bears on one plan stands in it.
func TestExec_ReplayLine(t *testing.T) {
	o := execFlags{dir: ".", maxRestarts: defaultRestarts, timeout: defaultTimeout}
	if got, want := o.replayLine("run", []string{"./p"}), "paytwice exec --plan run -- ./p"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	o.timeout, o.maxRestarts, o.powerLoss = 90*time.Second, 2, true
	if got, want := o.replayLine("run", []string{"./p"}), "paytwice exec --plan run --max-restarts 2 --timeout 1m30s -- ./p"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
