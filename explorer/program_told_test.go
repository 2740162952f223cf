//go:build unix

package explorer_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer"
)

// The first line and the ledger below it are of one run, also where each run has other ids. However long a life is,
// what the provider was asked is not left out of it.
func TestProgram_OneRunIsTold(t *testing.T) {
	t.Parallel()
	out, failed := runInner(t, innerTest("a new key each time"))
	agree(t, "failed", failed, true)
	first := regexp.MustCompile(`double-write: o-1 has 2 effects: (re_\w+ for key-\d+), (re_\w+ for key-\d+)`).FindStringSubmatch(out)
	if first == nil {
		t.Fatal(out)
	}
	for _, record := range first[1:] {
		has(t, out, "ledger         refund o-1, "+record)
	}
	_, second, _ := strings.Cut(out, "  life 2\n")
	has(t, second, "http.post/before#1", "provider.refund/during#1", "http.post/after#1", "http.post/before#2", "provider.refund/during#2",
		"http.post/after#2", "... 2 more points", "http.post/before#3", "provider.refund/during#3", "point.marked/before#3", "ended: done")
}

// Who asks for one plan gets every point of it.
func TestProgram_OnePlanIsToldWhole(t *testing.T) {
	t.Parallel()
	out, _ := runInner(t, innerTest("a new key each time"), explorer.EnvPlan+"=run")
	if n := len(regexp.MustCompile(`(?m)^ +\w+\.\w+/[\w-]+#\d `).FindAllString(out, -1)); n != 18 || strings.Contains(out, "more points") {
		t.Errorf("%d points:\n%s", n, out)
	}
}

// What the lives wrote is shown with their plan, also of one that was killed.
func TestProgram_OutputOfOnePlan(t *testing.T) {
	t.Parallel()
	out, failed := runInner(t, innerTest("talks"), explorer.EnvPlan+"=kill provider.refund/during#1")
	agree(t, "failed", failed, false)
	wrote := []string{"standard output:", "said to standard output", "program_told_inner_test.go:", "said to the test", "no end of line", "standard error:", "said to the log"}
	has(t, out, append(append([]string{"life 1", "KILLED at provider.refund/during#1"}, wrote...), append([]string{"life 2", "ended: done"}, wrote...)...)...)
}

// Where the undisturbed run fails, what it had written is shown, and where it failed.
func TestProgram_OutputOfAFailure(t *testing.T) {
	t.Parallel()
	const ended = "the undisturbed run ended with an error: "
	for _, c := range []struct {
		name string
		says []string
	}{
		{"talks and gives up", []string{ended + "no table refunds\n"}},
		{"talks and hangs", []string{"the undisturbed run did not end within 3s and was ended\n"}},
		{"talks and panics", []string{ended + "panic: assignment to entry in nil map (program_told_inner_test.go:"}},
		{"talks and panics elsewhere", []string{ended + "panic: runtime error: invalid memory address or nil pointer dereference (program_told_inner_test.go:"}},
		{"talks and exits", []string{ended + "the process ended by itself (exit status 3) before Run returned: an os.Exit or a log.Fatal in Run; the last that it wrote to standard error: said to the log\n"}},
		{"talks and is ended", []string{ended + "the process was ended from outside (signal: terminated) before Run returned; the last that it wrote to standard error: said to the log\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, failed := runInner(t, innerTest(c.name))
			agree(t, "failed", failed, true)
			has(t, out, append(c.says, "standard output:", "said to standard output", "said to the test", "no end of line", "standard error:", "said to the log")...)
		})
	}
}

// A panic of a later life names its line, too.
func TestProgram_PanicInARecovery(t *testing.T) {
	t.Parallel()
	out, _ := runInner(t, innerTest("panics in a recovery"))
	has(t, out, "never-ends: ", "life 2", "ended with an error: panic: begun already (program_told_inner_test.go:")
}

// Runs that differ since they find what an earlier one kept are told apart from those whose points come in another
// order: only to these AnyOrder is offered.
func TestProgram_KeptElsewhere(t *testing.T) {
	t.Parallel()
	const asks = "does it keep anything outside Env.Dir, such as a database at a fixed path"
	for _, c := range []struct {
		name string
		says []string
	}{
		{"keeps it elsewhere", []string{"two undisturbed runs differ: only one passes a point 2, http.post/before#1\n", asks}},
		{"keeps it elsewhere, any order", []string{"two undisturbed runs differ: http.post/before#1 was passed in one run only\n", asks}},
		{"finds it done elsewhere", []string{"the provider was never called: is the program using Env.ProviderURL?\n", "or " + asks}},
		{"any order, not said", []string{"two undisturbed runs differ: point ", "set AnyOrder"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, failed := runInner(t, innerTest(c.name), elsewhereEnv+"="+filepath.Join(t.TempDir(), "done"))
			agree(t, "failed", failed, true)
			has(t, out, c.says...)
			if ordered := strings.Contains(out, "AnyOrder"); ordered == strings.Contains(out, asks) {
				t.Errorf("AnyOrder offered: %v\n%s", ordered, out)
			}
		})
	}
}

// A plan with a mistyped point is answered with the point that was meant, and with how to see them all.
func TestProgram_MistypedPoint(t *testing.T) {
	t.Parallel()
	for plan, says := range map[string]string{
		"kill provider.refnud/during#1": "did you mean provider.refund/during#1?",
		"kill provider.refund/during#2": "the life passed provider.refund/during#1, and no later one",
	} {
		out, failed := runInner(t, innerTest("naive"), explorer.EnvPlan+"="+plan)
		agree(t, "failed", failed, true)
		has(t, out, "did not strike in life 1", says, explorer.EnvPlan+"=run go test -v shows the points")
	}
}

// Why a repeat under the same key was executed is told, with how long the program was away and what it was answered.
func TestProgram_WhyRepeated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		says []string
	}{
		{"a key that nobody knows", []string{"life 2\n", "note           no-key executes a repeat under the same key again\n"}},
		{"back after the key", []string{"life 1\n", "life 2  (25h0m0s later)\n", "note           the key was forgotten after 24h0m0s\n"}},
		{"looks up its key at once", []string{"life 1\n", "life 2\n", "http.get/after#1 ", "answered 404\n", "http.post/after#1 ", "answered 200\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, _ := runInner(t, innerTest(c.name))
			agree(t, "plans", plans(out), []string{"kill provider.refund/during#1"})
			has(t, out, c.says...)
		})
	}
	out, _ := runInner(t, innerTest("naive"))
	if strings.Contains(out, "repeat") || strings.Contains(out, "forgotten") {
		t.Errorf("no key was sent:\n%s", out)
	}
}
