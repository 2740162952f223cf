//go:build unix

package explorer_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
)

// runInner runs tests of TestInner's kind in a test binary of their own and returns what it printed.
func runInner(t *testing.T, pattern string, environ ...string) (out string, failed bool) {
	t.Helper()
	return runBinary(t, []string{"-test.v", "-test.run=" + pattern}, environ...)
}

func runBinary(t *testing.T, args []string, environ ...string) (string, bool) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(append(os.Environ(), innerEnv+"=1"), environ...)
	data, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(data), err != nil
}

func innerTest(name string) string {
	return "^TestInner$/^" + strings.ReplaceAll(regexp.QuoteMeta(name), " ", "_") + "$"
}

// has checks that a text says all of this, in this order.
func has(t *testing.T, text string, want ...string) {
	t.Helper()
	rest := text
	for _, w := range want {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Errorf("%q is missing (or comes earlier) in:\n%s", w, text)
			return
		}
		rest = after
	}
}

// plans returns the smallest plans that a test reported, in order.
func plans(out string) (all []string) {
	for _, m := range regexp.MustCompile(`smallest plan  (.*)`).FindAllStringSubmatch(out, -1) {
		all = append(all, m[1])
	}
	return all
}

// The whole failure of the naive refund, as somebody reads it.
func TestProgram_Naive(t *testing.T) {
	t.Parallel()
	out, failed := runInner(t, innerTest("naive"))
	if !failed {
		t.Fatalf("it passed:\n%s", out)
	}
	agree(t, "plans", plans(out), []string{"kill provider.refund/during#1"})
	has(t, out, "killed at 6 of 6 points", "paytwice: double-write: o-1 has 2 effects: re_", "for request-1", "for request-2",
		"life 1", "http.post/before#1", "program_inner_test.go:", "KILLED at provider.refund/during#1", "life 2", "ended: done",
		"killed between ", "program_inner_test.go:", "and ", "program_inner_test.go:", "ledger ", "refund o-1", "ledger ", "refund o-1",
		"running it twice without a kill is fine", "replay ", "PAYTWICE_PLAN='kill provider.refund/during#1' go test -count=1 -run '^TestInner$/^naive$' .")
}

func agree(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Each program with what its test says, passing or failing.
func TestProgram(t *testing.T) {
	for _, c := range []struct {
		name   string
		passes bool
		plans  []string
		says   []string
	}{
		{"keyed", true, nil, []string{"plans of up to 2 kills", "killed at 6 of 6 points"}},
		{"marks first", false, []string{"kill point.marked/before#1"}, []string{"lost-write: o-1 has no effect"}},
		{"nothing survives", true, nil, nil},
		{"survivor", false, nil, []string{"a deferred function ran although the process was killed"}},
		{"hangs at once", false, nil, []string{"the undisturbed run did not end within 3s and was ended"}},
		{"never ends", false, []string{"kill point.marked/before#1"}, []string{"never-ends: ", "somebody began already"}},
		{"no point", false, nil, []string{"the program passes no point"}},
		{"exits", false, nil, []string{"the undisturbed run ended with an error: the process ended by itself (exit status 0) before Run returned"}},
		{"exits when told", false, nil, []string{`"kill point.second/before#1" did not strike in life 1`, "ended by itself before it came there"}},
		{"fatal in run", false, nil, []string{"Run failed the test, undisturbed as it was:", "program_inner_test.go:", "not this way"}},
		{"error in run", false, nil, []string{"Run failed the test, undisturbed as it was:", "program_inner_test.go:", "the balance is wrong"}},
		{"error in the test around", false, nil, []string{"Run failed the test, undisturbed as it was:", "program_inner_test.go:", "said outside"}},
		{"fail without a word", false, nil, []string{"Run failed the test, undisturbed as it was:", "it logged nothing"}},
		{"error in a recovery", false, []string{"kill point.marked/before#1"}, []string{"test-failed: Run failed the test: program_inner_test.go:", "2 rows",
			"program_inner_test.go:", "a second", "line", "life 2", "FAILED THE TEST: program_inner_test.go:", "replay "}},
		{"error in one recovery, captured", false, []string{"kill point.marked/before#1"}, []string{"test-failed: Run failed the test: program_inner_test.go:", "half an order"}},
		{"errors like the harness's own", true, nil, nil},
		{"error after much", false, []string{"kill point.marked/before#1"}, []string{"step 0", "…", "step 99", "the reason"}},
		{"fatal in a recovery", false, []string{"kill point.marked/before#1"}, []string{"test-failed: Run failed the test: program_inner_test.go:", "begun already"}},
		{"error and panic in a recovery", false, []string{"kill point.marked/before#1"}, []string{"test-failed: Run failed the test: program_inner_test.go:", "begun already", "Run returned: panic: and out"}},
		{"error before a kill only", false, []string{"kill point.marked/before#1"}, []string{"test-failed: Run failed the test: program_inner_test.go:", "killed soon",
			"FAILED THE TEST", "KILLED at point.marked/before#1"}},
		{"error when run twice", false, nil, []string{"test-failed: started again after it had ended well: Run failed the test: program_inner_test.go:", "done already"}},
		{"logs in run", true, nil, nil},
		{"skips in run", false, nil, []string{"Run called t.Skip"}},
		{"ends its goroutine", false, nil, []string{"Run ended its goroutine instead of returning: a runtime.Goexit"}},
		{"panics", false, nil, []string{"ended with an error: panic: out of paper"}},
		{"any order, not said", false, nil, []string{"two undisturbed runs differ: point ", " in one and ", "set AnyOrder"}},
		{"any order", true, nil, []string{"killed at 10 of 10 points"}},
		{"race, and talks", false, nil, []string{"the race detector found a race", "WARNING: DATA RACE"}},
		{"leaves a goroutine", false, nil, []string{"left a goroutine behind", "program_inner_test.go"}},
		{"leaves a request", false, nil, []string{"left a goroutine behind", "program_inner_test.go"}},
		{"leaves what has not begun", false, nil, []string{"a goroutine "}},
		{"leaves a server", false, nil, []string{"left a goroutine behind", "program_inner_test.go"}},
		{"leaves a server's own goroutine", false, nil, []string{"left a goroutine behind", "http.Serve"}},
		{"leaves a reader", false, nil, []string{"left a goroutine behind", "io.ReadAll"}},
		{"asks too late", false, nil, []string{"left a goroutine behind", "program_inner_test.go"}},
		{"passes a point too late", false, nil, []string{"passed point.late/before#1 after Run had returned"}},
		{"leaves what may stay", true, nil, nil},
		{"outlives an orphan", true, nil, nil},
		{"leaves a process", false, nil, []string{"left a process behind"}},
		{"no provider", false, nil, []string{"Run asked for Env.ProviderURL and made requests, and Program.Provider is not set"}},
		{"no provider, only asked", true, nil, nil},
		{"no call", false, nil, []string{"the provider was never called"}},
		{"want can't miss", false, nil, []string{"Want still holds when effect 1, refund of o-1, is dropped"}},
		{"want can't count", false, nil, []string{"Want still holds when effect 1, refund of o-1, is there twice"}},
		{"want is wrong", false, nil, []string{"Want does not hold for the undisturbed run: o-2 has no effect"}},
		{"want counts records", true, nil, nil},
		{"own name", false, []string{"kill provider.refund/during#1"}, []string{"our-own-rule: 2 refunds"}},
		{"runs twice", false, []string{"kill provider.refund/during#1"}, []string{"it also breaks when it simply runs twice, without any kill"}},
		{"only twice", false, nil, []string{"paytwice: double-write: started again after it had ended well: o-1 has 2 effects", "it survives every kill at a point", "RunsOnce"}},
		{"only twice, and never is", true, nil, nil},
		{"refuses to run twice", false, nil, []string{"never-ends: started again after it had ended well: it does not end well any more: finished already", "life 1", "ended: done",
			"life 2", "ended with an error: finished already", "return nil where there is nothing left to do", "RunsOnce"}},
		{"stumbles when run twice", true, nil, nil},
		{"leaves a goroutine when run twice", false, nil, []string{"started again after it had ended well: Run returned and left a goroutine behind", "program_inner_test.go"}},
		{"hangs when run twice", false, nil, []string{"never-ends: started again after it had ended well: a life did not end within", "HUNG"}},
		{"at once, naive", false, nil, []string{"double-write: o-1 has ", "2 processes in each life"}},
		{"at once, keyed", true, nil, []string{"plans of up to 1 kills"}},
		{"at once, by process", false, []string{"run"}, []string{"double-write: o-1 has 3 effects"}},
		{"marks in a link", false, []string{"kill point.asked/before#1"}, []string{"lost-write: o-1 has no effect"}},
		{"marks in a mode", false, []string{"kill point.asked/before#1"}, []string{"lost-write: o-1 has no effect"}},
		{"marks in a time", false, []string{"kill point.asked/before#1"}, []string{"lost-write: o-1 has no effect"}},
		{"marks in a time to come", false, []string{"kill point.asked/before#1"}, []string{"lost-write: o-1 has no effect"}},
		{"keeps a socket", true, nil, nil},
		{"back the next hour", true, nil, nil},
		{"back after the key", false, []string{"kill provider.refund/during#1"}, []string{"double-write: o-1 has 2 effects"}},
		{"knows how long it was away", true, nil, nil},
		{"asks at once", false, []string{"kill provider.refund/during#1"}, []string{"double-write: o-1 has 2 effects"}},
		{"asks after a while", true, nil, nil},
		{"want says nothing", false, []string{"kill provider.refund/during#1"}, []string{"paytwice: want: Want returned a violation that says nothing"}},
		{"nobody judges", false, nil, []string{"Program.Want is nil", "nobody judges the provider's ledger", "ExactlyOnce"}},
		{"gets on slowly", false, []string{"kill point.marked/before#1"}, []string{"never-ends: ", "MaxLives"}},
		{"gets on, and may", true, nil, nil},
		{"bound", false, nil, []string{"undecided: the bound of 3 incarnations was reached"}},
		{"without run", false, nil, []string{"Program.Run is nil"}},
		{"negative", false, nil, []string{"AtOnce, MaxRuns, Timeout, Downtime and MaxLives are not negative"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, failed := runInner(t, innerTest(c.name))
			if failed == c.passes {
				t.Errorf("failed: %v", failed)
			}
			if c.plans != nil || c.passes {
				agree(t, "plans", plans(out), c.plans)
			}
			has(t, out, c.says...)
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// fifo returns a FIFO, and what waits until nobody holds it any more and returns what was written.
func fifo(t *testing.T) (name string, gone func() string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return name, func() string {
		t.Helper()
		if err := f.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Errorf("a process is left: %v", err)
		}
		return string(data)
	}
}

// A recovery that hangs is ended once, with what it started, and is a violation of its own kind.
func TestProgram_RecoveryHangs(t *testing.T) {
	forTheGate(t)
	t.Parallel()
	name, gone := fifo(t)
	out, failed := runInner(t, innerTest("hangs"), fifoEnv+"="+name)
	agree(t, "failed", failed, true)
	agree(t, "plans", plans(out), []string{"kill point.marked/before#1"})
	has(t, out, "never-ends: a life did not end within 3s and was ended", "life 2", "HUNG, and was ended")
	if strings.Contains(out, "life 3") {
		t.Errorf("it was started again:\n%s", out)
	}
	if gone() == "" {
		t.Error("nothing hung")
	}
}

// A test whose own -timeout is over leaves no child behind, nor what the child started.
func TestProgram_TestTimeout(t *testing.T) {
	forTheGate(t)
	t.Parallel()
	name, gone := fifo(t)
	out, failed := runBinary(t, []string{"-test.timeout=5s", "-test.run=" + innerTest("hangs for long")}, fifoEnv+"="+name)
	agree(t, "failed", failed, true)
	has(t, out, "panic: test timed out after 5s")
	gone()
}

// A program that really waits for the look-up's lag sees what it shows late.
func TestProgram_WaitsForReal(t *testing.T) {
	forTheGate(t)
	t.Parallel()
	if out, failed := runInner(t, innerTest("waits and asks")); failed {
		t.Error(out)
	}
}

// innerPasses runs inner tests that must pass.
func innerPasses(t *testing.T, pattern string) {
	t.Helper()
	out, failed := runInner(t, pattern)
	agree(t, "failed", failed, false)
	if failed {
		t.Log(out)
	}
}

// A process that the test started before the call is no part of the program; one that Run starts beside it is.
func TestProgram_HelperBefore(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux, where the children of a process can be listed")
	}
	t.Parallel()
	innerPasses(t, "^TestInnerHelperBefore$")
	out, failed := runInner(t, "^TestInnerHelperBeforeAndLeft$")
	agree(t, "failed", failed, true)
	has(t, out, "left a process behind")
}

// What was left to run without a parent is seen, and ended.
func TestProgram_Orphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux, where orphans can be adopted")
	}
	t.Parallel()
	out, failed := runInner(t, innerTest("leaves an orphan"))
	agree(t, "failed", failed, true)
	has(t, out, "left a process behind")

	name, gone := fifo(t)
	out, failed = runInner(t, innerTest("leaves a daemon"), fifoEnv+"="+name)
	agree(t, "failed", failed, true)
	has(t, out, "left a process behind")
	gone()
}

// What outlives a life that was killed, or was started before a child came to its call, ends with the test. What
// the test itself started does not.
func TestProgram_LeavesNoDaemon(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	for _, pattern := range []string{innerTest("is killed beside a daemon"), "^TestInnerDaemonBefore$"} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			name, gone := fifo(t)
			if out, failed := runInner(t, pattern, fifoEnv+"="+name); failed {
				t.Error(out)
			}
			if gone() == "" {
				t.Error("no daemon was there")
			}
		})
	}
	if out, failed := runInner(t, "^TestInnerHelper$"); failed {
		t.Error(out)
	}
}

// A request that somebody else holds, and that never becomes whole, does not keep a life from its end.
func TestProgram_HalfRequest(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ends a daemon by /proc")
	}
	t.Parallel()
	out, failed := runBinary(t, []string{"-test.timeout=30s", "-test.run=" + innerTest("is killed beside half a request")})
	if failed {
		t.Error(out)
	}
}

// The replay line's plan runs alone, with its history.
func TestProgram_ReplayOnePlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		test, plan string
		fails      bool
		says       []string
	}{
		{"naive", "kill provider.refund/during#1", true, []string{"plan kill provider.refund/during#1", "life 1", "KILLED at provider.refund/during#1", "life 2", "double-write: o-1 has 2 effects"}},
		{"naive", "run", false, []string{"plan run", "life 1", "ended: done"}},
		{"naive", "lose-response provider.refund/during#1", true, []string{"life 1", "ended with an error", "double-write"}},
		{"keyed", "kill provider.refund/during#1; kill http.post/after#1", false, []string{"KILLED at provider.refund/during#1", "KILLED at http.post/after#1", "life 3"}},
		{"naive", "kill nowhere.at_all/before#1", true, []string{"PAYTWICE_PLAN", "did not strike in life 1"}},
		{"naive", "pause 1m point.marked/before#1", true, []string{"beside kills only the provider's answers can be injected"}},
		{"naive", "nonsense", true, []string{"PAYTWICE_PLAN: "}},
	} {
		out, failed := runInner(t, innerTest(c.test), explorer.EnvPlan+"="+c.plan)
		if failed != c.fails {
			t.Errorf("%s: failed %v", c.plan, failed)
		}
		has(t, out, c.says...)
		if strings.Contains(out, "incarnations") {
			t.Errorf("%s: it explored as well:\n%s", c.plan, out)
		}
	}
}

// The replay line, given to a shell, starts the go command with the plan and the pattern as they are meant,
// A child in which nothing runs but the test looks at its goroutines only where there are too many.
func TestProgram_LeavesByItself(t *testing.T) {
	t.Parallel()
	out, failed := runInner(t, "^TestInnerLeaves$")
	has(t, out, "left a goroutine behind", "io.ReadAll")
	agree(t, "failed", failed, true)
	out, failed = runInner(t, "^TestInner(LeavesNothing|Address)$")
	has(t, out, "--- PASS: TestInnerLeavesNothing", "--- PASS: TestInnerAddress")
	agree(t, "failed", failed, false)
}

// and with the flags that the test was started with.
func TestProgram_ReplayLine(t *testing.T) {
	t.Parallel()
	out, failed := runBinary(t, []string{"-test.run=^TestInnerName$", "-test.short", "-paytwice-no-key=1"})
	agree(t, "failed", failed, true)
	_, line, _ := strings.Cut(out, "  replay ")
	line, _, _ = strings.Cut(line, "\n")
	dir := t.TempDir()
	fake := "#!/bin/sh\nprintf '%s\\n' \"$" + explorer.EnvPlan + "\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", line)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, said)
	}
	agree(t, "what the shell makes of "+line, strings.Split(strings.TrimSpace(string(said)), "\n"), []string{"kill provider.refund/during#1",
		"test", "-count=1", "-run", `^TestInnerName$/^it's;_\$\(touch_pwned\)$`, ".", "-args", "-test.short", "-paytwice-no-key=1"})
}

func TestFind(t *testing.T) {
	t.Parallel()
	out, failed := runInner(t, "^TestInnerFind$")
	if failed {
		t.Errorf("it failed:\n%s", out)
	}
	has(t, out, "found double-write: o-1 has 2 effects", "FOUND double-write kill provider.refund/during#1")
}

// What keeps a child from its call is told.
func TestProgram_NoCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		test   string
		passes bool
		says   []string
	}{
		{"FatalBefore", false, []string{"the test ended in the child before it came to its call: ", "program_inner_test.go:", "a thing that is not there", "--- FAIL: TestInnerFatalBefore"}},
		{"SkipBefore", false, []string{"the test ended in the child before it came to its call: exit status 0", "program_inner_test.go:", "not in a child", "--- SKIP: TestInnerSkipBefore"}},
		{"ExitBefore", false, []string{"the test ended in the child before it came to its call: exit status 7", "out of here"}},
		{"ChdirBefore", true, nil},
	} {
		out, failed := runInner(t, "^TestInner"+c.test+"$")
		if failed == c.passes {
			t.Errorf("%s: failed %v\n%s", c.test, failed, out)
		}
		has(t, out, c.says...)
	}
}

// Folders for temporary files go with the test, although no cleanup runs in a child.
func TestProgram_TempDirs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, failed := runInner(t, "^TestInnerTempDirBefore$", "TMPDIR="+dir)
	if failed {
		t.Error(out)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%d left, such as %v (%v)", len(left), left, err)
	}
}

// An assertion on what Find returned fails in the children of the next call: that is no failure of Run's, and
// hides none.
func TestProgram_FailedBefore(t *testing.T) {
	t.Parallel()
	innerPasses(t, "^TestInnerFailedBefore$")
	out, failed := runInner(t, "^TestInnerFailedBeforeAndInRun$")
	agree(t, "failed", failed, true)
	has(t, out, "whether Run failed the test can't be told", "program_inner_test.go:", "it may be wrong")
}

func TestProgram_SubtestsParallelCount(t *testing.T) {
	forTheGate(t)
	t.Parallel()
	out, failed := runInner(t, "^TestInnerSubtests$", "PAYTWICE_COVERAGE=", "GOMAXPROCS=2")
	agree(t, "failed", failed, true)
	agree(t, "explored", strings.Count(out, "killed at 6 of 6 points"), 4)
	agree(t, "plans", plans(out), []string{"kill provider.refund/during#1"})
	has(t, out, "--- FAIL: TestInnerSubtests", "--- PASS: TestInnerSubtests/a_(b)/c ")

	out, failed = runBinary(t, []string{"-test.v", "-test.count=2", "-test.run=" + innerTest("keyed")})
	agree(t, "failed", failed, false)
	agree(t, "explored", strings.Count(out, "killed at 6 of 6 points"), 2)

	out, failed = runBinary(t, []string{"-test.run=^$", "-test.bench=^BenchmarkInner$"})
	agree(t, "failed", failed, true)
	has(t, out, "a child can be started for a test only")
}

// Points are summed over tests in one file.
func TestProgram_Coverage(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "coverage")
	out, failed := runInner(t, "^TestInner$/^(keyed|only_twice,_and_never_is)$", explorer.EnvCoverage+"="+name)
	if failed {
		t.Fatal(out)
	}
	has(t, out, "killed at 6 of 6 points", "with the tests before it: killed at 6 of 6 points", "killed at 4 of 4 points", "with the tests before it: killed at 6 of 6 points")
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := explorer.ReadCoverage(f)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "killed", c.Killed, []string{"http.post/after#1", "http.post/before#1", "point.marked/before#1", "point.marking/before#1",
		"provider.refund/during#1", "provider.refund/during-lost#1"})
	agree(t, "summary", c.String(), "killed at 6 of 6 points")
}

func TestReadCoverage(t *testing.T) {
	c, err := explorer.ReadCoverage(strings.NewReader(`{"killed":["a.b/after#1"],"never":["c.d/before#1","e.f/before#1"]}
{"killed":["c.d/before#1"],"never":["a.b/after#1"]}
`))
	agree(t, "error", err, nil)
	agree(t, "summary", c.String(), "killed at 2 of 3 points, not at e.f/before#1")
	if _, err := explorer.ReadCoverage(bytes.NewReader([]byte("{"))); err == nil {
		t.Error("a broken line is none")
	}
}

// The go command learns what the children read: it runs the test again when that changes.
func TestProgram_ReadsOfChildren(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	out, failed := runBinary(t, []string{"-test.testlogfile=" + log, "-test.run=" + innerTest("reads")})
	if failed {
		t.Fatal(out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	for _, want := range []string{"open " + dir + "/testdata/first-read", "stat " + dir + "/testdata/stat-again", "getenv PAYTWICE_TEST_AGAIN", "open " + dir + "/testdata"} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q is missing in:\n%s", want, data)
		}
	}
}

// A child sees the flags that the parent was started with.
func TestProgram_Flags(t *testing.T) {
	forTheGate(t)
	t.Parallel()
	pattern := "-test.run=" + innerTest("flags")
	for _, c := range []struct {
		args  []string
		fails bool
	}{
		{[]string{pattern}, false},
		{[]string{pattern, "-test.short"}, true},
		{[]string{pattern, "-paytwice-no-key"}, true},
		{[]string{"-test.v", "-test.parallel", "2", "-paytwice-no-key=true", pattern, "-test.timeout", "1m", "more"}, true},
	} {
		out, failed := runBinary(t, c.args)
		if failed != c.fails {
			t.Errorf("%q: failed %v\n%s", c.args, failed, out)
		}
	}
}

// What a child did to the race detector is told to the parent's test, and the harness itself has no race.
func TestProgram_Race(t *testing.T) {
	if !raceEnabled {
		t.Skip("without -race")
	}
	t.Parallel()
	out, failed := runInner(t, innerTest("race"))
	agree(t, "failed", failed, true)
	has(t, out, "the race detector found a race", "WARNING: DATA RACE")

	// Somebody keeps the reports elsewhere.
	out, failed = runInner(t, innerTest("race"), "GORACE=log_path="+filepath.Join(t.TempDir(), "race"))
	agree(t, "failed", failed, true)
	has(t, out, "the race detector found a race", "WARNING: DATA RACE")

	out, failed = runInner(t, innerTest("want keeps count"))
	if failed {
		t.Errorf("a judge with a memory:\n%s", out)
	}

	out, failed = runInner(t, innerTest("races when run twice"))
	agree(t, "failed", failed, true)
	has(t, out, "started again after it had ended well: the race detector found a race", "WARNING: DATA RACE")

	out, failed = runInner(t, innerTest("asks beside each other"))
	if failed {
		t.Errorf("requests beside each other:\n%s", out)
	}
}
