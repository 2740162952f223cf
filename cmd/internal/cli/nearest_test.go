package cli_test

import (
	"strings"
	"testing"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

func TestNearest(t *testing.T) {
	names := []string{"approve", "changes", "import", "refund", "reject", "reset", "resume", "run", "runs", "trace", "trail", "work"}
	for typed, want := range map[string]string{
		"aprove":   "approve",
		"chnages":  "changes",
		"trial":    "trail", // two letters that changed places
		"RUNS":     "runs",
		"rusn":     "run", // as near to runs, which comes later
		"resum":    "resume",
		"imp":      "import", // a beginning of one name only
		"re":       "",       // of several
		"payments": "",
		"":         "",
		"x":        "",
	} {
		if got := cli.Nearest(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got := cli.Nearest(strings.Repeat("x", 1<<20), names); got != "" {
		t.Errorf("a megabyte is nearest to %q", got)
	}
}

func TestDidYouMean(t *testing.T) {
	for typed, want := range map[string]string{
		"texd": `; did you mean "text"?`,
		"yaml": "; there are text, json",
	} {
		if got := cli.DidYouMean(typed, []string{"text", "json"}); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got := cli.DidYouMean("x", nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
