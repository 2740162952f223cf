// Package offcheck proves from a binary that paytwice_off leaves no crash machinery in a program.
package offcheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const module = "github.com/paytwice/paytwice/faults"

// build builds the program with and without the tag and returns its own symbols and its bytes.
func build(t *testing.T, tags string) (symbols, text string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "shop")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "build", "-tags", tags, "-o", binary, "./shop")
	var own []string
	for line := range strings.Lines(run("go", "tool", "nm", binary)) {
		if strings.Contains(line, module) {
			own = append(own, strings.TrimSpace(line))
		}
	}
	if got := run(binary); got != "no database\n204 <nil>\n<nil> <nil>\n" {
		t.Errorf("tags %q: the program says %q", tags, got)
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(own, "\n"), string(data)
}

// machinery is what the linker or a reader would find of an injector.
var machinery = []string{
	module + ".(*Injector)", module + ".Call.At", module + ".here", module + ".Catch", module + ".active",
	module + "/internal/seam", module + "/sqlfault.(*conn)", module + "/sqlfault.connCombinations", module + "/httpfault.(*transport)",
}

// texts are what only the machinery says.
var texts = []string{"the process has crashed", "can't be injected by a wrapper", "lose-response"}

func TestTag_NothingOfTheMachineryIsInTheBinary(t *testing.T) {
	if os.Getenv("PAYTWICE_GATE") == "" {
		t.Skip("builds two programs")
	}
	symbols, text := build(t, "paytwice_off")
	for _, m := range machinery {
		if strings.Contains(symbols, m) {
			t.Errorf("%s is in the binary:\n%s", m, symbols)
		}
	}
	for _, s := range texts {
		if strings.Contains(text, s) {
			t.Errorf("the text %q is in the binary", s)
		}
	}
	// The same look at a program with its points finds them all, so it would find what was left.
	symbols, text = build(t, "")
	for _, m := range machinery {
		if !strings.Contains(symbols, m) {
			t.Errorf("%s is not in the binary with points: the check looks for the wrong thing", m)
		}
	}
	for _, s := range texts {
		if !strings.Contains(text, s) {
			t.Errorf("the text %q is not in the binary with points", s)
		}
	}
}
