//go:build unix

package explorer_test

import (
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
