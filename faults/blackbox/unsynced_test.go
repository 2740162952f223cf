//go:build linux && amd64

package blackbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// onceNoted records a program and returns what power cuts can leave of a file once that is noted durably, each
// different text once, without its zeros; "-" where there is no such file.
func onceNoted(t *testing.T, file string, args ...string) []string {
	t.Helper()
	out := imagesWhere(t, file, target(t, args...), func(im blackbox.Image) bool { return len(im.File("noted")) > 0 })
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "\x00", "")
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

// A path that goes up from where a link leads to goes on from there.
func TestRecord_UpFromALink(t *testing.T) {
	cfg := target(t, "dotdot")
	want := "sys.mkdirat[real]#1\nsys.mkdirat[real/v1]#1\nsys.symlinkat[current]#1\nsys.openat[real/next]#1\nsys.write[real/next]#1\n" +
		"sys.renameat[real/value]#1\nsys.fchmodat[real]#1\n"
	if got := names(record(t, cfg).Calls); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got := images(t, "real/value", cfg); !slices.Equal(got, []string{"", "-", "new\n"}) {
		t.Errorf("%q", got)
	}
}

// A rename of one name of a file to another takes none away.
func TestImages_RenamedToItself(t *testing.T) {
	cfg := target(t, "two-names")
	cfg.PowerLoss = true
	set, err := blackbox.Images(record(t, cfg), blackbox.PowerLimits{})
	if err != nil {
		t.Fatal(err)
	}
	for im := range set.All() {
		if im.File("b") != nil && im.File("a") == nil {
			t.Errorf("%s: only the second name is left", im.Cut)
		}
	}
}

// A file that is moved into the folder brings what of it is not yet durable.
func TestImages_MovedIn(t *testing.T) {
	for _, c := range []struct {
		how, before string
		want        []string
	}{
		{"never", "", []string{"", "new\n"}},
		{"never", "old\n", []string{"old\n", "old\nnew\n"}},
		{"file", "", []string{"new\n"}},
		{"file", "old\n", []string{"old\nnew\n"}},
		{"all", "", []string{"new\n"}},
		{"map", "", []string{"new\n"}},
		{"part of a map", "", []string{"", "new\n"}},
		{"each write", "", []string{"new\n"}},
		{"after", "", []string{"new\n"}},
	} {
		cfg := target(t)
		outside, err := os.MkdirTemp(filepath.Dir(cfg.WorkDir), "blackbox-outside-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(outside)
		if c.before != "" {
			write(t, outside, map[string]string{"next": c.before})
		}
		if got := onceNoted(t, "value", "move-in", filepath.Join(outside, "next"), c.how); !slices.Equal(got, c.want) {
			t.Errorf("%s after %q: %q, not %q", c.how, c.before, got, c.want)
		}
	}
}

// A sync of a part of a map makes that part durable, and nothing else of the file.
func TestImages_SyncOfAPartOfAMap(t *testing.T) {
	record, both := []string{"record"}, "page 0record"
	for _, c := range []struct {
		how, part string // the first page of the map, how many, and where in the file the map begins
		want      []string
	}{
		{"write", "0 4 0", record}, {"write", "2 1 0", record}, {"write", "1 2 0", record},
		{"write", "0 1 0", []string{"", "record"}}, {"write", "3 1 0", []string{"", "record"}}, {"write", "0 2 0", []string{"", "record"}},
		{"write", "0 1 1", []string{"", "record"}}, {"write", "0 1 2", record}, {"write", "0 2 1", record},
		{"grown", "0 1 0", []string{"", "record"}}, {"grown", "2 1 0", record},
		{"private", "0 4 0", []string{"", "record"}},
		{"store", "0 4 0", []string{both}}, {"store", "0 3 0", []string{both}}, {"store", "0 1 0", []string{"page 0", both}},
		{"store", "2 1 0", []string{both, "record"}}, {"store", "1 1 0", []string{"", "page 0", both, "record"}},
	} {
		for _, more := range [][]string{nil, {"in two lines"}} {
			if got := onceNoted(t, "record", append([]string{"map-part", c.how, c.part}, more...)...); !slices.Equal(got, c.want) {
				t.Errorf("%s %s %s: %q, not %q", c.how, c.part, more, got, c.want)
			}
		}
	}
}
