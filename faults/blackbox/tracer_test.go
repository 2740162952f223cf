//go:build linux && amd64

package blackbox_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/blackbox"
)

func TestRecord_Kinds(t *testing.T) {
	got := names(record(t, target(t, "kinds")).Calls)
	for _, want := range []string{"sys.mkdirat[d]#1", "sys.openat[d/a%20b]#1", "sys.write[d/a%20b]#1", "sys.renameat[d/c]#1", "sys.linkat[d/e]#1",
		"sys.symlinkat[d/s]#1", "sys.truncate[d/c]#1", "sys.unlinkat[d/e]#1", "sys.unlinkat[d/gone]#1", "sys.pwrite64[d/c]#1", "sys.ftruncate[d/c]#1",
		"sys.fallocate[d/c]#1", "sys.fsync[d/c]#1", "sys.openat[copy]#1", "sys.copy_file_range[copy]#1", "sys.fsync[d]#1", "sys.sync#1"} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
	if t.Failed() {
		t.Log("\n" + got)
	}
}

// Every point of a run must survive as text, whatever the names of files.
func TestRecord_PointsParse(t *testing.T) {
	for _, c := range record(t, target(t, "kinds")).Calls {
		p := c.Point(faults.After)
		if back, err := faults.ParsePoint(p.String()); err != nil || back != p {
			t.Errorf("%s: %v, %v", p, back, err)
		}
	}
}

func TestRecord_SameCallsTenTimes(t *testing.T) {
	forTheGate(t)
	for _, args := range [][]string{{"careful"}, {"threads"}, {"kinds"}, {"signals"}, {"execs"}, {"pieces"}, {"longpath"}} {
		t.Run(args[0], func(t *testing.T) {
			cfg := target(t, args...)
			want := counts(record(t, cfg).Calls)
			for range 9 {
				if got := counts(record(t, cfg).Calls); got != want {
					t.Fatalf("another run:\n%sthe first:\n%s", got, want)
				}
			}
		})
	}
}

func counts(calls []blackbox.Call) string {
	var lines []string
	last := map[faults.Site]int{}
	for _, c := range calls {
		last[c.Site()] = c.N
	}
	for s, n := range last {
		lines = append(lines, faults.Point{Site: s, N: n}.String())
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// A child that another part of this process has started must not be taken by a tracer.
func TestRecord_LeavesForeignChildrenAlone(t *testing.T) {
	cfg := target(t, "careful")
	for range 20 {
		cmd := exec.Command("/bin/sh", "-c", "read line; exit 7")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := blackbox.Record(context.Background(), cfg); err != nil {
				t.Error(err)
			}
		}()
		_, _ = in.Write([]byte("\n"))
		err = cmd.Wait()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 7 {
			t.Fatalf("the other child's end was lost: %v", err)
		}
		<-done
	}
}

func TestRecord_SignalsReachTheProgram(t *testing.T) {
	tr := record(t, target(t, "signals"))
	if got := strings.Count(names(tr.Calls), "sys.write[<stdout>]"); got != 100 {
		t.Errorf("%d lines, not 100", got)
	}
}

func TestRecord_PathsAtTheEndOfAPage(t *testing.T) {
	tr := record(t, target(t, "longpath"))
	got := names(tr.Calls)
	for _, c := range tr.Calls {
		if !strings.HasPrefix("boundary", c.Path) {
			t.Errorf("path %q", c.Path)
		}
	}
	if n := len(tr.Calls); n != 74 {
		t.Errorf("%d calls, not 74:\n%s", n, got)
	}
}

func TestRecord_WhatIsNotDurable(t *testing.T) {
	if got := names(record(t, target(t, "tty")).Calls); got != "sys.openat[file]#1\nsys.write[file]#1\n" {
		t.Error(got)
	}
}

func TestRecord_RingsAreRefused(t *testing.T) {
	cfg := target(t, "ring")
	cfg.Check = []string{"/bin/sh", "-c", "grep -q 'not implemented' answer"}
	r := sweep(t, cfg)
	if len(r.Violations) > 0 {
		t.Errorf("%+v", r.Violations)
	}
}

func TestRecord_AcknowledgedLinesNotWrites(t *testing.T) {
	cfg := target(t, "pieces")
	cfg.Acked, cfg.Check = regexp.MustCompile(`^acked (.*)`), []string{"/bin/true"}
	tr := record(t, cfg)
	if want := []string{"file-0", "file-1", "file-2"}; !slices.Equal(tr.Acked, want) {
		t.Errorf("acknowledged %q, not %q", tr.Acked, want)
	}
	// Killed between two pieces of a line, it has not been said.
	p, err := faults.ParsePoint("sys.write[<stdout>]/before#5")
	if err != nil {
		t.Fatal(err)
	}
	k, err := blackbox.Kill(context.Background(), cfg, tr, p)
	if err != nil || len(k.Acked) > 0 || k.Stdout.String() != "acked file-0" {
		t.Errorf("%+v, %v", k, err)
	}
}

func TestRecord_MapsAreReported(t *testing.T) {
	cfg := target(t, "mapped")
	cfg.PowerLoss = true
	tr := record(t, cfg)
	if !slices.Equal(tr.Mapped, []string{"map"}) {
		t.Errorf("mapped: %v", tr.Mapped)
	}
	// The sync makes durable what was stored, so it is in the log.
	set, err := blackbox.Images(tr, blackbox.PowerLimits{})
	if err != nil {
		t.Fatal(err)
	}
	stored := false
	for im := range set.All() {
		stored = stored || bytes.HasPrefix(im.File("map"), []byte("stored"))
	}
	if !stored {
		t.Error("no image holds what was stored through the map")
	}
}

func TestRecord_Ignored(t *testing.T) {
	cfg := target(t, "threads")
	cfg.Ignore = []string{"left"}
	if got := names(record(t, cfg).Calls); strings.Contains(got, "left") || !strings.Contains(got, "right") {
		t.Error(got)
	}
}

// Two tracers in one process must not take each other's programs.
func TestRecord_TwoAtATime(t *testing.T) {
	cfgs := []blackbox.Config{target(t, "careful"), target(t, "threads")}
	done := make(chan struct{})
	for _, cfg := range cfgs {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 10 {
				if _, err := blackbox.Record(context.Background(), cfg); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	<-done
	<-done
}

func TestRecord_OrdinaryUser(t *testing.T) {
	need(t)
	if asOrdinaryUser(t) {
		return
	}
	if tr := record(t, target(t, "careful")); len(tr.Calls) != 10 {
		t.Error(names(tr.Calls))
	}
}

// A send to a provider is a call like any other.
func TestRecord_Sockets(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := newPaymentService(l, false, nil)
	defer p.Close()
	cfg := target(t)
	cfg.Command = []string{program(t, "poster")}
	cfg.Env = append(cfg.Env, p.Env()...)
	got := names(record(t, cfg).Calls)
	if !strings.Contains(got, "sys.write[<tcp>]#2") || strings.Contains(got, "sys.write[<tcp>]#3") {
		t.Error(got)
	}
	if len(p.Ledger()) != 2 {
		t.Error(p.Ledger())
	}
}

// A map that is made for reading may be written later; one of a file that is open for reading may not.
func TestRecord_MapsMadeForReading(t *testing.T) {
	if tr := record(t, target(t, "mapped", "later")); !slices.Equal(tr.Mapped, []string{"map"}) {
		t.Errorf("mapped: %v", tr.Mapped)
	}
	if tr := record(t, target(t, "mapped", "never")); len(tr.Mapped) > 0 {
		t.Errorf("mapped: %v", tr.Mapped)
	}
}

// What a life keeps open for the program's threads and processes is closed with it.
func TestRecord_ClosesWhatItOpens(t *testing.T) {
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for _, program := range []string{"execs", "threads", "daemon"} {
		cfg := target(t, program)
		record(t, cfg)
		before := open()
		for range 3 {
			record(t, cfg)
		}
		if after := open(); after > before {
			t.Errorf("%s: %d descriptors before, %d after", program, before, after)
		}
	}
}

// A thread that shares a processor with its tracer is told of all it has, and so is what it starts; the tracer's
// thread goes back to where it was.
func TestRecord_TellsAllProcessors(t *testing.T) {
	cfg := target(t)
	count := func() string {
		out, err := exec.Command("nproc").Output()
		if err != nil {
			t.Skip("needs nproc")
		}
		return string(out)
	}
	want := count()
	if want == "1\n" {
		t.Skip("needs two processors")
	}
	cfg.Command = []string{"/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8; do echo $i >> file; done; nproc; for i in 1 2 3 4 5 6 7 8; do echo $i >> file; done; " +
		"(nproc); grep Cpus_allowed_list /proc/self/status >&2"}
	tr := record(t, cfg)
	if got := string(tr.Stdout.Head); got != want+want {
		t.Errorf("the program sees %q, not %q", got, want+want)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	if all := string(tr.Stderr.Head); !strings.Contains(string(status), all) || all == "" {
		t.Errorf("a process that the program starts may run on: %s", all)
	}
	for range 20 {
		if got := count(); got != want {
			t.Fatalf("afterwards a process sees %s", got)
		}
	}
}

// What a program sends is seen as well once its first thread has ended.
func TestRecord_SendsWithoutTheFirstThread(t *testing.T) {
	cfg := target(t, "leaderless")
	tr := record(t, cfg)
	want := "sys.write[<udp>]#1\nsys.write[<udp>]#2\nsys.openat[end]#1\nsys.write[end]#1\n"
	// Before Linux 6.9 it can't be told which kind of socket it is.
	if got := strings.ReplaceAll(names(tr.Calls), "<socket>", "<udp>"); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	for _, at := range tr.Calls {
		if _, err := blackbox.Kill(context.Background(), cfg, tr, at.Point(faults.After)); err != nil {
			t.Error(err)
		}
	}
}

// A file is cut as well by a path that leads to it through the process's own descriptors.
func TestRecord_ThroughOwnDescriptors(t *testing.T) {
	for _, dir := range []string{"/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"} {
		for call, args := range map[string][]string{"sys.openat[next]#2": {"reopen", dir}, "sys.truncate[next]#1": {"reopen", dir, "by path"}} {
			cfg := target(t, args...)
			cfg.PowerLoss = true
			if got := names(record(t, cfg).Calls); !strings.Contains(got, call+"\n") {
				t.Errorf("%s: %s is not in\n%s", dir, call, got)
			}
			want := []string{"-", "new\n"}
			if len(args) > 2 {
				want[1] = "ru"
			}
			if got := images(t, "value", cfg); !slices.Equal(got, want) {
				t.Errorf("%s: %q, not %q", dir, got, want)
			}
		}
	}
}

// An absolute path begins at the root that the program has chosen.
func TestRecord_AnotherRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, who alone chooses another")
	}
	tr := record(t, target(t, "rooted"))
	want := "sys.openat[effects]#1\nsys.write[effects]#1\nsys.renameat[moved]#1\nsys.fchmodat[moved]#1\n"
	if got := names(tr.Calls); got != want || len(tr.Outside) > 0 {
		t.Errorf("outside: %q; %s, not %s", tr.Outside, got, want)
	}
}
