//go:build linux && amd64

package blackbox_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// onceNoted records a program and returns what power cuts can leave of a file once that is noted durably, each
// different text once, without its zeros; "-" where there is no such file.
func onceNoted(t *testing.T, file string, args ...string) []string {
	t.Helper()
	cfg := target(t, args...)
	cfg.PowerLoss = true
	set, err := blackbox.Images(record(t, cfg), blackbox.PowerLimits{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for im := range set.All() {
		text := "-"
		if data := im.File(file); data != nil {
			text = strings.ReplaceAll(string(data), "\x00", "")
		}
		if len(im.File("noted")) > 0 {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A sync of a file system makes durable what lies on it, and nothing on another one.
func TestImages_SyncOfAnotherFileSystem(t *testing.T) {
	for dir, want := range map[string][]string{".": {"record\n"}, "..": {"record\n"}, "/proc": {"", "record\n"}} {
		if got := onceNoted(t, "record", "sync-system", dir); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", dir, got, want)
		}
	}
}
