package blackbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// images records a program and returns what power cuts can leave of one file, each different text once;
// "-" where there is no such file.
func images(t *testing.T, file string, cfg blackbox.Config) []string {
	t.Helper()
	return imagesWhere(t, file, cfg, func(blackbox.Image) bool { return true })
}

// imagesWhere is images of those folders that are asked for.
func imagesWhere(t *testing.T, file string, cfg blackbox.Config, asked func(blackbox.Image) bool) []string {
	t.Helper()
	cfg.PowerLoss = true
	set, err := blackbox.Images(record(t, cfg), blackbox.PowerLimits{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for im := range set.All() {
		text := "-"
		if data := im.File(file); data != nil {
			text = string(data)
		}
		if asked(im) {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The complete sets of what can be left.
func TestImages_Sets(t *testing.T) {
	old := map[string]string{"value": "old\n"}
	nearlyFull := strings.Repeat("x", 507) + "\n"
	for _, c := range []struct {
		name     string
		template map[string]string
		args     []string
		file     string
		want     []string
	}{
		// Renamed without a sync: the new name may stand for an empty file.
		{"rename", old, []string{"replace"}, "value", []string{"", "new\n", "old\n"}},
		{"rename after a sync", old, []string{"replace", "sync"}, "value", []string{"new\n", "old\n"}},
		// Each line is synced before the next: lines are lost from the end only.
		{"append and sync", nil, []string{"careful", "2"}, "effects", []string{"", "-", "effect-0\n", "effect-0\neffect-1\n"}},
		// Two writes without a sync: the first may be lost and the second not.
		{"append", nil, []string{"careless", "2"}, "effects", []string{"", "\x00\x00\x00\x00\x00\x00\x00\x00\x00effect-1\n", "-", "effect-0\n", "effect-0\neffect-1\n"}},
		// A write of three sectors may be torn after one of them, as well as lost.
		{"torn", nil, []string{"sectors"}, "file", []string{"", "-", strings.Repeat("x", 512), strings.Repeat("x", 1536)}},
		// Sectors are the file's, not the write's: a short one may lie in two.
		{"torn across", map[string]string{"effects": nearlyFull}, []string{"careful", "1"}, "effects", []string{nearlyFull, nearlyFull + "effe", nearlyFull + "effect-0\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := target(t, c.args...)
			if c.template != nil {
				cfg.Template = folderOf(t, c.template)
			}
			if got := images(t, c.file, cfg); !slices.Equal(got, c.want) {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}

// The last image of every run is what the run left: the log explains every byte.
func TestImages_LogGivesTheFolder(t *testing.T) {
	for _, args := range [][]string{{"kinds"}, {"careful"}, {"threads"}, {"many"}, {"replace"}, {"relapse"}} {
		t.Run(args[0], func(t *testing.T) {
			cfg := target(t, args...)
			cfg.PowerLoss = true
			r := sweepNothing(t, cfg)
			if strings.Contains(r.Power, "not traced") {
				t.Error(r.Power)
			}
		})
	}
}

// sweepNothing is a sweep whose power cuts are bounded to very few.
func sweepNothing(t *testing.T, cfg blackbox.Config) *blackbox.Report {
	t.Helper()
	cfg.Sides, cfg.Power.Images = blackbox.BeforeOnly, 1
	return sweep(t, cfg)
}

// An ignored file gives no points, and yet what becomes of it is known.
func TestSweep_IgnoredNames(t *testing.T) {
	cfg := target(t, "atomic")
	cfg.Template = folderOf(t, map[string]string{"value": "old\n"})
	cfg.PowerLoss = true
	var unstable *blackbox.UnstableError
	if _, err := blackbox.Sweep(context.Background(), cfg); !errors.As(err, &unstable) {
		t.Errorf("names that differ are not noticed: %v", err)
	}
	cfg.Ignore = []string{"*.tmp"}
	cfg.Recover = []string{"/bin/true"}
	cfg.Check = []string{"/bin/sh", "-c", "grep -qx -e old -e new value"}
	r := sweep(t, cfg)
	if r.Calls != 1 || len(r.Violations) > 0 || strings.Contains(r.Power, "not traced") || r.PowerLoss.Landed < 2 {
		t.Errorf("%+v", r)
	}
	if got := images(t, "value", cfg); !slices.Equal(got, []string{"new\n", "old\n"}) {
		t.Errorf("%q", got)
	}
}

func TestImages_SameEveryTime(t *testing.T) {
	cfg := target(t, "kinds")
	cfg.PowerLoss = true
	tr := record(t, cfg)
	var want []string
	for range 2 {
		set, err := blackbox.Images(tr, blackbox.PowerLimits{Images: 50})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for im := range set.All() {
			got = append(got, im.Cut.String())
			if back, err := blackbox.ParseCut(im.Cut.String()); err != nil || back.String() != im.Cut.String() {
				t.Errorf("%s reads back as %s, %v", im.Cut, back, err)
			}
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) || len(got) != 50 || set.LeftOut == 0 || !strings.Contains(set.Caps, "more folders left out") {
			t.Errorf("%d images, caps %q", len(got), set.Caps)
		}
	}
}

func TestParseCut_Refuses(t *testing.T) {
	for _, text := range []string{"", "power-loss", "kill sys.write[a]/after#1", "power-loss sys.write[a]/after#1 ops=x", "power-loss sys.write/after#1 lost=1,,2",
		"power-loss sys.write/after#1 torn=3", "power-loss sys.write/after#1 other=1", "power-loss here ops=1"} {
		if c, err := blackbox.ParseCut(text); err == nil {
			t.Errorf("%q reads as %s", text, c)
		}
	}
}

// What Keep leaves is the folder at the crash.
func TestReplay_PowerCutKept(t *testing.T) {
	cfg := target(t, "replace")
	cfg.Template = folderOf(t, map[string]string{"value": "old\n"})
	cfg.Check = []string{"/bin/sh", "-c", "test -s value"}
	cfg.Recover = []string{"/bin/true"}
	cfg.PowerLoss = true
	r := sweep(t, cfg)
	if r.Kills.Violations[blackbox.StateMismatch] > 0 || r.PowerLoss.Violations[blackbox.StateMismatch] == 0 {
		t.Fatalf("kills: %s; power loss: %s", r.Kills, r.PowerLoss)
	}
	v := r.Violations[0]
	if !v.PowerLoss || !strings.Contains(v.Detail, "lost: ") {
		t.Errorf("%+v", v)
	}
	keep := filepath.Join(t.TempDir(), "kept")
	c, err := blackbox.Replay(context.Background(), cfg, v.Plan, blackbox.ReplayOptions{Keep: keep})
	if err != nil || len(c.Violations) != 1 || c.Lives[0].Ended != "power lost" {
		t.Errorf("%+v, %v", c, err)
	}
	if data, err := os.ReadFile(filepath.Join(keep, "value")); err != nil || !bytes.Equal(data, nil) {
		t.Errorf("kept %q, %v", data, err)
	}
	if err == nil && len(c.Violations) > 0 && c.Violations[0].Detail != v.Detail {
		t.Errorf("the replay says %q, and the sweep %q", c.Violations[0].Detail, v.Detail)
	}
	if _, err := blackbox.Replay(context.Background(), cfg, strings.Replace(v.Plan, "ops=", "ops=9", 1), blackbox.ReplayOptions{}); err == nil {
		t.Error("a cut that the run does not have is replayed")
	}
}

// The whole path, with SQLite's own recovery: kills alone can't tell the settings apart, power cuts can.
func TestSweep_SQLiteSettings(t *testing.T) {
	forTheGate(t)
	for _, c := range []struct {
		journal, synchronous string
		want                 []string // under power loss
	}{
		{"delete", "off", []string{blackbox.DoubleWrite, blackbox.LostWrite, blackbox.StateMismatch}},
		{"delete", "extra", nil},
		{"wal", "normal", []string{blackbox.LostWrite}},
		{"wal", "full", nil},
	} {
		t.Run(c.journal+"-"+c.synchronous, func(t *testing.T) {
			cfg := sqlite(t, c.journal, "run", c.journal, c.synchronous, "1")
			cfg.Recover = []string{program(t, "sqlite"), "open"}
			cfg.PowerLoss, cfg.Power.Images = true, 60
			if deep() {
				cfg.Power.Images = 2000
			}
			r := sweep(t, cfg)
			t.Logf("kills: %s; power loss: %s; %s", r.Kills, r.PowerLoss, r.Power)
			if len(r.Kills.Violations) > 0 {
				t.Errorf("kills: %v", r.Kills.Violations)
			}
			for _, name := range c.want {
				if r.PowerLoss.Violations[name] == 0 {
					t.Errorf("no %s under power loss", name)
				}
			}
			if len(c.want) == 0 && len(r.Violations) > 0 {
				t.Errorf("%+v", r.Violations[0])
			}
		})
	}
}

// A name that moves out of the folder is gone there, and what comes for it in exchange is there.
func TestImages_MovedOut(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"moved", nil, []string{"-", "mine"}},
		{"exchanged", []string{"swap"}, []string{"mine", "theirs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := target(t)
			outside, err := os.MkdirTemp(filepath.Dir(cfg.WorkDir), "blackbox-outside-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(outside)
			write(t, outside, map[string]string{"job": "theirs"})
			cfg.Command = append(cfg.Command, append([]string{"move-out", filepath.Join(outside, "job")}, c.args...)...)
			cfg.Template = folderOf(t, map[string]string{"job": "mine"})
			if got := images(t, "job", cfg); !slices.Equal(got, c.want) {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}
