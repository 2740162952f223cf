package cli_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

func TestWrap(t *testing.T) {
	long := strings.Repeat("é", cli.LineWidth+20)
	for name, c := range map[string]struct{ text, want string }{
		"nothing":            {"", ""},
		"one line":           {"a b", "  a b"},
		"line ends stay":     {"a\n\nb\n", "  a\n\n  b"},
		"a word too long":    {"a " + long + " b", "  a\n  " + long + "\n  b"},
		"blanks are words":   {" a   b ", "  a b"},
		"letters, not bytes": {strings.Repeat("é ", 48) + "é", "  " + strings.Repeat("é ", 48) + "é"},
	} {
		got := cli.Wrap(c.text, "  ")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, line := range strings.Split(cli.Wrap(strings.Repeat("words of several lengths and more ", 40), "     "), "\n") {
		if n := utf8.RuneCountInString(line); n > cli.LineWidth {
			t.Errorf("a line of %d characters", n)
		}
	}
}

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{"abc": "abc", "abcd": "ab…", "ééé": "ééé", "éééé": "éé…"} {
		if got := cli.Shorten(text, 3); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestStyleFor colours nothing unless somebody looks: a file, a pipe and a buffer are nobody, and a device
// is left alone when the environment says so.
func TestStyleFor(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		style cli.Style
		want  string
	}{
		"a device":     {cli.StyleFor(device, env("TERM", "xterm")), "\x1b[32mdone\x1b[0m"},
		"NO_COLOR":     {cli.StyleFor(device, env("TERM", "xterm", "NO_COLOR", "1")), "done"},
		"a dumb one":   {cli.StyleFor(device, env("TERM", "dumb")), "done"},
		"a file":       {cli.StyleFor(file, env("TERM", "xterm")), "done"},
		"a buffer":     {cli.StyleFor(&strings.Builder{}, env("TERM", "xterm")), "done"},
		"a zero value": {cli.Style{}, "done"},
	} {
		if got := c.style.Good("done"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
