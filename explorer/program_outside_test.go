//go:build unix

package explorer_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer"
)

// TestOutside is the library as somebody else has it: a module of its own, whose tests the go command runs.
// One form pays twice, one never, and one is right.
func TestOutside(t *testing.T) {
	forTheGate(t)
	if testing.Short() {
		t.Skip("builds a module")
	}
	run := outside(t)
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

	out, ok = run("test", "-count=1", "-run", "^TestWrittenFirst$", ".", "PAYTWICE_PLAN=kill sql.commit/after#1")
	if ok {
		t.Error("the replay passed")
	}
	has(t, out, "plan kill sql.commit/after#1", "KILLED at sql.commit/after#1", "lost-write")
}

// outside copies the module to a folder of its own and points it at this one. What it returns runs the go
// command there; a plan as the last argument, as
// EnvPlan=..., goes into its environment.
func outside(t *testing.T, leaveOut ...string) func(args ...string) (out string, ok bool) {
	t.Helper()
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
	for _, name := range leaveOut {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, bool) {
		environ := append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "PWD="+dir)
		if last := args[len(args)-1]; strings.HasPrefix(last, explorer.EnvPlan+"=") {
			environ, args = append(environ, last), args[:len(args)-1]
		}
		cmd := exec.CommandContext(t.Context(), command, args...)
		cmd.Dir, cmd.Env = dir, environ
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
	return run
}

// TestFirstTestDocument builds what docs/first-test.md shows, with the README's example beside it: it fails as
// the page says, and passes with the line that the page adds.
func TestFirstTestDocument(t *testing.T) {
	forTheGate(t)
	if testing.Short() {
		t.Skip("builds a module")
	}
	data, err := os.ReadFile(filepath.Join("..", "docs", "first-test.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, part := range strings.Split(string(data), "```go\n// ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		blocks[name], _, _ = strings.Cut(text, "```")
	}
	dir := ""
	run := outside(t, "shop.go", "shop_test.go", "rate_test.go")
	if out, ok := run("env", "GOMOD"); ok {
		dir = filepath.Dir(strings.TrimSpace(out))
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program, mend := blocks["shop.go"], blocks["shop.go: before client.Do"]
	write("shop.go", program)
	write("shop_test.go", blocks["shop_test.go"])
	write("readme_test.go", readmeExample(t))
	out, ok := run("test", ".")
	if ok {
		t.Error("the broken form passed")
	}
	has(t, out, "double-write: order-1 has 2 effects: re_92a93b90b702d6db for request-1, re_7aafe7210dfa3cc6 for request-2",
		"smallest plan  kill provider.refund/during#1", "PAYTWICE_PLAN='kill provider.refund/during#1' go test -count=1 -run '^TestRefund$' .")
	has(t, out, "readme_test.go:", "double-write: order-1 has 2 effects", "killed between ", "shop.go:", "and ", "shop.go:", "-run '^TestRefundOnce$' .")
	mended := strings.Replace(program, "	resp, err := client.Do", mend+"	resp, err := client.Do", 1)
	if mended == program {
		t.Fatal("the page's mend has no place")
	}
	write("shop.go", mended)
	out, ok = run("test", "-v", "-run", "^TestRefund$", ".")
	if !ok {
		t.Errorf("the mended form failed:\n%s", out)
	}
	counted := regexp.MustCompile("It says `(killed at [^`]*)`").FindStringSubmatch(string(data))
	if counted == nil {
		t.Fatal("the page does not say what a test says of its points")
	}
	has(t, out, counted[1])
	if out, ok := run("test", "."); !ok {
		t.Errorf("the mended form failed:\n%s", out)
	}
	onePlan, plan := replayLine(t, string(data))
	write("shop.go", strings.Replace(mended, "	resp, err := client.Do", "	fmt.Println(\"it asks for\", order)\n	resp, err := client.Do", 1))
	if out, ok = run("test", "-v", "-run", "^TestRefund$", "."); !ok || strings.Contains(out, "it asks for") {
		t.Errorf("what Run prints is shown:\n%s", out)
	}
	if out, ok = run(append(onePlan, plan)...); !ok {
		t.Errorf("one undisturbed run failed:\n%s", out)
	}
	has(t, out, "life 1", "http.post/before#1", "ended: done", "it asks for order-1")
}

// replayLine returns the go command by which the page shows one undisturbed run, and the plan in its environment.
func replayLine(t *testing.T, page string) (args []string, plan string) {
	t.Helper()
	line := regexp.MustCompile("`(PAYTWICE_PLAN=run) go (test [^`]*)`").FindStringSubmatch(page)
	if line == nil {
		t.Fatal("the page does not say how to see an undisturbed run")
	}
	return strings.Fields(strings.ReplaceAll(line[2], "'", "")), line[1]
}

// readmeExample returns the README's example of the library as a file of a test of the package shop.
func readmeExample(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(data), "```go\nfunc TestRefundOnce")
	example, _, closed := strings.Cut(example, "```")
	if !found || !closed {
		t.Fatal("the README has no Go example")
	}
	imports := []string{"context", "database/sql", "path/filepath", "testing", "example.com/shop", "modernc.org/sqlite",
		"github.com/paytwice/paytwice/explorer", "github.com/paytwice/paytwice/faults/provider", "github.com/paytwice/paytwice/faults/sqlfault"}
	return "package shop_test\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") + "\"\n)\n\nfunc TestRefundOnce" + example
}
