//go:build linux && amd64

package blackbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/blackbox"
)

func TestRecord_BadPrograms(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want error
		text string
	}{
		{"cannot be started", []string{"/nowhere/program"}, blackbox.ErrStart, "no such file"},
		{"is not in the path", []string{"no-such-program-anywhere"}, blackbox.ErrStart, "not found"},
		{"is no program", []string{"./notes.txt"}, blackbox.ErrStart, "permission denied"},
		{"never ends", []string{"hang"}, blackbox.ErrNeverEnds, "300ms"},
		{"fails", []string{"fail"}, blackbox.ErrFailed, "ended with status 1: the reason why"},
		{"fills the disk", []string{"fill"}, blackbox.ErrTooLarge, "bytes"},
		{"goes too deep", []string{"deep"}, blackbox.ErrTooDeep, "longer than a path may be"},
		{"makes no durable call", []string{"nothing"}, blackbox.ErrNoDurableCall, "already holds 1 names"},
		{"leaves all to another", []string{"/bin/sh", "-c", "sleep 60 & exit 0"}, blackbox.ErrNoDurableCall, "1 process(es) still ran when it had ended, and were ended with it"},
		{"has no time at all", []string{"hang"}, blackbox.ErrNeverEnds, "1ns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := target(t, c.args...)
			if strings.ContainsAny(c.args[0], "/-") {
				cfg.Command = c.args
			}
			cfg.Template = folderOf(t, map[string]string{"notes.txt": "text"})
			cfg.Limits.WrittenBytes = 8 << 20
			if c.want == blackbox.ErrNeverEnds {
				cfg.Limits.Timeout, _ = time.ParseDuration(c.text)
			}
			_, err := blackbox.Record(context.Background(), cfg)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, not %v with %q", err, c.want, c.text)
			}
			r, err := blackbox.Sweep(context.Background(), cfg)
			if !errors.Is(err, c.want) || r.Complete {
				t.Errorf("sweep: error %v, complete %v", err, r.Complete)
			}
		})
	}
}

func TestRecord_StandardInputIsEmpty(t *testing.T) {
	if got := names(record(t, target(t, "read")).Calls); !strings.Contains(got, "sys.write[input]#1") {
		t.Error(got)
	}
}

func TestRecord_DaemonsAreKilled(t *testing.T) {
	tr := record(t, target(t, "daemon"))
	if tr.LeftBehind != 2 {
		t.Errorf("%d processes left behind, not 2", tr.LeftBehind)
	}
	for _, line := range strings.Fields(tr.Stdout.String()) {
		if pid, err := strconv.Atoi(line); err != nil || syscall.Kill(pid, 0) != syscall.ESRCH {
			t.Errorf("daemon %s is still there", line)
		}
	}
}

func TestRecord_WritesOutside(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	tr := record(t, target(t, "outside", elsewhere))
	if !slices.Contains(tr.Outside, elsewhere) {
		t.Errorf("outside: %v", tr.Outside)
	}
	if strings.Contains(names(tr.Calls), "elsewhere") {
		t.Error(names(tr.Calls))
	}
	r := sweep(t, target(t, "outside", elsewhere))
	if !slices.Contains(r.Outside, elsewhere) {
		t.Errorf("report: %v", r.Outside)
	}
}

func TestRecord_OutputIsBounded(t *testing.T) {
	cfg := target(t, "flood", "64")
	cfg.Limits.OutputBytes = 1000
	tr := record(t, cfg)
	if tr.Stdout.Bytes != 64<<20 || len(tr.Stdout.Head) != 1000 || len(tr.Stdout.Tail) != 1000 {
		t.Errorf("%d bytes, %d and %d kept", tr.Stdout.Bytes, len(tr.Stdout.Head), len(tr.Stdout.Tail))
	}
	if !strings.HasSuffix(tr.Stdout.String(), "abcde\n") || !strings.Contains(tr.Stdout.String(), "bytes left out") {
		t.Error("the end of the output is missing")
	}
}

// Gigabytes of output cost no memory.
func TestRecord_GigabytesOfOutput(t *testing.T) {
	forTheGate(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tr := record(t, target(t, "flood", "4096"))
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); tr.Stdout.Bytes != 4<<30 || grown > 64<<20 {
		t.Errorf("%d bytes of output, the heap grew by %d", tr.Stdout.Bytes, grown)
	}
}

func TestSweep_UnstableProgram(t *testing.T) {
	_, err := blackbox.Sweep(context.Background(), target(t, "random"))
	var unstable *blackbox.UnstableError
	if !errors.As(err, &unstable) || unstable.Site.Operation != "write[file]" {
		t.Errorf("error %v", err)
	}
}

func TestSweep_UnstableEffects(t *testing.T) {
	cfg := target(t)
	cfg.Command = []string{"/bin/sh", "-c", "echo $$ > effects"}
	cfg.ExactlyOnce = "effects"
	_, err := blackbox.Sweep(context.Background(), cfg)
	var unstable *blackbox.UnstableEffectError
	if !errors.As(err, &unstable) || unstable.Where != "effects" {
		t.Errorf("error %v", err)
	}
}

// What is wrong without any crash is told, with the plan that does nothing.
func TestSweep_UndisturbedRunIsWrong(t *testing.T) {
	cfg := target(t)
	cfg.Command = []string{"/bin/sh", "-c", "(echo a; echo a) > effects"}
	cfg.ExactlyOnce, cfg.Check = "effects", []string{"/bin/sh", "-c", "echo no good; exit 1"}
	r := sweep(t, cfg)
	want := []string{blackbox.DoubleWrite, blackbox.StateMismatch}
	for i, name := range want {
		if len(r.Violations) < 2 || r.Violations[i].Invariant != name || r.Violations[i].Plan != "run" {
			t.Errorf("%+v", r.Violations)
			break
		}
	}
}

func TestSweep_CheckThatFails(t *testing.T) {
	for text, command := range map[string]string{"status 2": "exit 2", "signal 9": "kill -9 $$"} {
		cfg := target(t, "careful")
		cfg.Check = []string{"/bin/sh", "-c", command}
		if _, err := blackbox.Sweep(context.Background(), cfg); !errors.Is(err, blackbox.ErrCheck) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v", command, err)
		}
	}
}

// A violation says which command found it, how it ended and what it said last.
func TestSweep_CheckDetail(t *testing.T) {
	for command, want := range map[string]string{
		"false": `the check "false" ended with status 1 and said nothing`,
		"for i in 1 2 3 4; do echo line $i; done; exit 1": `the check "for i in 1 2 3 4; do echo line $i; done; exit 1" ended with status 1: line 2 / line 3 / line 4`,
		"echo lost-write: one is gone >&2; exit 1":        `the check "echo lost-write: one is gone >&2; exit 1" ended with status 1: lost-write: one is gone`,
	} {
		cfg := target(t, "careful", "1")
		cfg.Check, cfg.Sides = []string{"/bin/sh", "-c", command}, blackbox.AfterOnly
		r := sweep(t, cfg)
		if len(r.Violations) == 0 || r.Violations[0].Detail != want {
			t.Errorf("%s: %+v", command, r.Violations)
		}
	}
}

func TestSweep_AcknowledgedNowhere(t *testing.T) {
	cfg := target(t, "careful")
	cfg.Acked = regexp.MustCompile("^done")
	if _, err := blackbox.Sweep(context.Background(), cfg); !errors.Is(err, blackbox.ErrConfig) {
		t.Errorf("error %v", err)
	}
	cfg.ExactlyOnce = "effects" // whose lines are not those on standard output
	if _, err := blackbox.Sweep(context.Background(), cfg); !errors.Is(err, blackbox.ErrAcked) {
		t.Errorf("error %v", err)
	}
}

func TestSweep_TemplateOverTheLimit(t *testing.T) {
	cfg := target(t, "careful")
	cfg.Template = folderOf(t, map[string]string{"large": strings.Repeat("x", 5000)})
	cfg.Limits.TemplateBytes = 4000
	if _, err := blackbox.Sweep(context.Background(), cfg); !errors.Is(err, blackbox.ErrTooLarge) {
		t.Errorf("error %v", err)
	}
}

func TestSweep_RecoveryNeverEnds(t *testing.T) {
	for name, text := range map[string]string{"poison": "fails the same way every time", "stall": "still running after 400ms"} {
		t.Run(name, func(t *testing.T) {
			cfg := target(t, name)
			cfg.Limits.Timeout = 200 * time.Millisecond
			r := sweep(t, cfg)
			if len(r.Violations) == 0 {
				t.Fatalf("%+v", r)
			}
			for _, v := range r.Violations {
				if v.Invariant != blackbox.NeverEnds || !strings.Contains(v.Detail, text) {
					t.Errorf("%+v", v)
				}
			}
		})
	}
}

// A recovery that fills its folder is a finding, not the end of the sweep, and is stopped long before its time is over.
func TestSweep_RecoveryFillsItsFolder(t *testing.T) {
	for _, args := range [][]string{{"swell"}, {"swell", "ever"}} {
		cfg := target(t, args...)
		cfg.Limits.WrittenBytes, cfg.Limits.TemplateBytes, cfg.MaxKills = 1<<20, 1<<20, 3
		r := sweep(t, cfg)
		if len(r.Violations) == 0 {
			t.Fatalf("%+v", r)
		}
		for _, v := range r.Violations {
			if v.Invariant != blackbox.NeverEnds || !strings.Contains(v.Detail, "more than 3145728 bytes") {
				t.Errorf("%+v", v)
			}
		}
	}
}

func TestSweep_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg := target(t, "careful", "50")
	cfg.Progress = func(p blackbox.Progress) {
		if p.Phase == "kill" && p.Done == 20 {
			cancel()
		}
	}
	r, err := blackbox.Sweep(ctx, cfg)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if r.Complete || r.Kills.Landed < 20 || r.Kills.Landed >= r.Kills.Cases || !strings.Contains(r.LeftOut, "interrupted after") {
		t.Errorf("%+v", r)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// children returns the processes that this process has, dead ones included.
func children(t *testing.T) []string {
	t.Helper()
	var out []string
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, l := range lists {
		data, _ := os.ReadFile(l)
		out = append(out, strings.Fields(string(data))...)
	}
	return out
}

// A program may note what it did in a file's mode, time or attributes: states that differ in nothing else are
// different states.
func TestSweep_WhatAFileHasBesideItsBytes(t *testing.T) {
	for _, mark := range []string{"mode", "time", "moved", "attribute", "sticky", "owner"} {
		t.Run(mark, func(t *testing.T) {
			cfg := target(t, "marks", mark)
			cfg.ExactlyOnce, cfg.Crashes, cfg.Sides = "effects", 2, blackbox.BeforeOnly
			if mark == "attribute" && syscall.Setxattr(cfg.WorkDir, "user.claimed", nil, 0) != nil {
				t.Skip("needs a work folder with attributes")
			}
			if mark == "owner" && os.Getuid() != 0 {
				t.Skip("needs root, who alone gives files away")
			}
			r := sweep(t, cfg)
			var plans []string
			for _, v := range r.Violations {
				plans = append(plans, v.Invariant+" "+v.Plan)
			}
			first, last := "lost-write kill sys.write[effects]/before#1", "lost-write kill sys.openat[claim]/before#1; kill sys.write[effects]/before#1"
			if !slices.Contains(plans, first) || !slices.Contains(plans, last) {
				t.Errorf("%q", plans)
			}
			// A time moves with its file, also in a later life than the one that set it.
			if later := "lost-write kill sys.renameat[claim]/before#1; kill sys.write[effects]/before#1"; mark == "moved" && !slices.Contains(plans, later) {
				t.Errorf("%q is not in %q", later, plans)
			}
		})
	}
}

// A state that only lies between two changes of a mode is reached.
func TestSweep_BetweenTwoMarks(t *testing.T) {
	cfg := target(t, "marks", "twice")
	cfg.ExactlyOnce = "effects"
	r := sweep(t, cfg)
	if !slices.ContainsFunc(r.Violations, func(v blackbox.Violation) bool {
		return v.Plan == "kill sys.fchmodat[claim]/before#2" && v.Invariant == blackbox.LostWrite
	}) {
		t.Errorf("%+v", r.Violations)
	}
}

// What an ordinary user can't look into is not taken for a program that does nothing.
func TestRecord_HiddenPrograms(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	for name, command := range map[string]string{
		"by itself":          "exec $TARGET hide",
		"can't be read":      ": >start; cp $TARGET $COPY; chmod 111 $COPY; $COPY careful",
		"a child of another": "$TARGET hide; true",
	} {
		t.Run(name, func(t *testing.T) {
			cfg := target(t)
			cfg.Env = append(cfg.Env, "TARGET="+cfg.Command[0], "COPY="+filepath.Join(t.TempDir(), "copy"))
			cfg.Command = []string{"/bin/sh", "-c", command}
			_, err := blackbox.Record(context.Background(), cfg)
			if !errors.Is(err, blackbox.ErrUnavailable) || !strings.Contains(err.Error(), "CAP_SYS_PTRACE") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A call that waits for another of the same program does not hold that one up.
func TestSweep_SpliceThatWaits(t *testing.T) {
	forTheGate(t)
	cfg := target(t, "splices")
	cfg.ExactlyOnce, cfg.PowerLoss, cfg.Limits.Timeout = "copy", true, 2*time.Second
	tr := record(t, cfg)
	set, err := blackbox.Images(tr, blackbox.PowerLimits{})
	if err != nil {
		t.Fatal(err)
	}
	spliced := false
	for im := range set.All() {
		spliced = spliced || string(im.File("copy")) == "spliced\n" && im.Cut.At.Operation == "splice[copy]"
	}
	if got := names(tr.Calls); !spliced || !strings.Contains(got, "sys.splice[copy]#1") {
		t.Errorf("in an image: %v; calls\n%s", spliced, got)
	}
	if r := sweep(t, cfg); len(r.Violations) > 0 || r.Kills.Landed != r.Kills.Cases {
		t.Errorf("%+v", r)
	}
}

// Two names of one file stay that, in the template, after a kill and after a power cut.
func TestSweep_HardLinks(t *testing.T) {
	cfg := target(t, "linked")
	cfg.Template = folderOf(t, map[string]string{"effects": ""})
	if err := os.Link(filepath.Join(cfg.Template, "effects"), filepath.Join(cfg.Template, "other")); err != nil {
		t.Fatal(err)
	}
	cfg.ExactlyOnce, cfg.Crashes, cfg.PowerLoss = "effects", 2, true
	if r := sweep(t, cfg); len(r.Violations) > 0 || r.PowerLoss.Cases < 2 || strings.Contains(r.Power, "not traced") {
		t.Errorf("%+v", r)
	}
}
