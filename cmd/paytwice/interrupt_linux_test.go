package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults/blackbox"
)

// mark is the variable by which a test knows the processes that its command left: they inherit it.
const mark = "PAYTWICE_TEST_MARK"

// marked returns the processes that carry a mark.
func marked(t *testing.T, value string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes at all: %v", err)
	}
	var out []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err == nil && bytes.Contains(data, []byte(mark+"="+value+"\x00")) {
			out = append(out, f)
		}
	}
	return out
}

// caseFolders returns the folders of cases that are named after a process.
func caseFolders(t *testing.T, pid int) []string {
	t.Helper()
	var out []string
	for _, root := range []string{"/dev/shm", os.TempDir()} {
		found, err := filepath.Glob(filepath.Join(root, fmt.Sprintf("paytwice-*-%d-*", pid)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	return out
}

// interruptedRun starts a command, sends it a signal once it has said a line of progress, and returns its
// report's file and its last line on standard error.
func interruptedRun(t *testing.T, signal os.Signal, args ...string) (file, last string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "report.json")
	cmd := started(t, append([]string{args[0], "--format", "json", "-o", file}, args[1:]...)...)
	value := fmt.Sprintf("%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))
	cmd.Env = append(cmd.Env, everyStep+"=1", mark+"="+value)
	errOut, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errOut)
	for sent := false; lines.Scan(); last = lines.Text() {
		if !sent && strings.HasPrefix(lines.Text(), args[0]+": ") {
			sent = true
			if len(marked(t, value)) == 0 {
				t.Error("no process carries the mark: the check sees nothing")
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	if code := exitOf(t, cmd.Wait()); code != exitUndecided && code != exitViolation {
		t.Errorf("exit code %d: %s", code, last)
	}
	if left := marked(t, value); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if left := caseFolders(t, cmd.Process.Pid); len(left) > 0 {
		t.Errorf("folders are left: %v", left)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("beside the report there are %v, %v", files, err)
	}
	return file, last
}

// TestInterrupted: a stop in the middle of long work, by each signal, says what was done and what was not, with
// the code of what is undecided, and leaves no process and no folder.
func TestInterrupted(t *testing.T) {
	forTheGate(t)
	for name, c := range map[string]struct {
		signal os.Signal
		args   string
	}{
		"matrix":           {os.Interrupt, "matrix --strategy all --point all --workers 2"},
		"matrix simulated": {syscall.SIGHUP, "matrix --mode simulate --strategy all --provider all --workers 2"},
		"explore":          {syscall.SIGTERM, "explore batch --mode kill --crashes 2 --workers 2"},
		"check":            {os.Interrupt, "check transfer refund --workers 2"},
		"audit":            {os.Interrupt, "audit --workers 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, last := interruptedRun(t, c.signal, strings.Fields(c.args)...)
			if !strings.Contains(last, "interrupted") {
				t.Errorf("the last line: %s", last)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var d struct {
				LeftOut any `json:"left_out"`
				Part    *history.Part
				Planted []history.Planted
			}
			if err := json.Unmarshal(data, &d); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(fmt.Sprint(d.LeftOut), "interrupted") || d.Part == nil && d.Planted == nil || name == "matrix" && len(d.Part.Cases) == 0 {
				t.Errorf("it does not say that it is a part, or of what: %.300s", data)
			}
		})
	}
}

// TestInterrupted_Exec: the same for other people's programs.
func TestInterrupted_Exec(t *testing.T) {
	if err := blackbox.Available(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	script := "i=0; while [ $i -lt 40 ]; do echo $i >> log; i=$((i+1)); done"
	file, last := interruptedRun(t, os.Interrupt, "exec", "--dir", dir, "--exactly-once", "log", "--", "sh", "-c", script)
	if !strings.Contains(last, "violation") && !strings.Contains(last, "interrupted") {
		t.Errorf("the last line: %s", last)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d history.Exec
	if err := json.Unmarshal(data, &d); err != nil || d.Complete || strings.Count(d.LeftOut, "interrupted") != 1 {
		t.Errorf("%v: %.300s", err, data)
	}
}

// TestInterrupted_Resumed: a run of a real process goes on in another one.
func TestInterrupted_Resumed(t *testing.T) {
	forTheGate(t)
	args := strings.Fields("matrix --mode simulate --strategy all --provider all --workers 2")
	file, _ := interruptedRun(t, os.Interrupt, args...)
	whole := runs(t, append(args, "--quiet", "--format", "json")...)
	again := runs(t, append(args, "--quiet", "--format", "json", "--resume", file)...)
	if whole.Out != again.Out || whole.Code != again.Code {
		t.Errorf("exit code %d, want %d; %d bytes, want %d", again.Code, whole.Code, len(again.Out), len(whole.Out))
	}
}

// TestInterrupted_Twice: what goes on after the first signal ends at once with the second, and its child, its
// folder and its half-written file go with it.
func TestInterrupted_Twice(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := startedAs(t, self, "stubborn", filepath.Join(dir, "report.json"))
	value := fmt.Sprintf("%d-twice", os.Getpid())
	cmd.Env = append(cmd.Env, mark+"="+value)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line := func() string {
		text, err := lines.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return strings.TrimSpace(text)
	}
	folder := line()
	line()
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("while it runs: %v\n%s", err, errOut.String())
	}
	if n := len(marked(t, value)); n < 2 {
		t.Errorf("%d processes while it runs, want it and its child", n)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if text := line(); text != "asked to stop" {
		t.Fatalf("after the first signal: %q\n%s", text, errOut.String())
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(t, cmd.Wait()); code != exitUndecided {
		t.Errorf("exit code %d", code)
	}
	if wrong := oneLine(errOut.String(), "^paytwice: interrupted twice"); wrong != "" {
		t.Error(wrong)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", folder, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("half-written files are left: %v, %v", files, err)
	}
	// A process that was killed is gone once the system has seen to it.
	deadline := time.Now().Add(time.Minute)
	for len(marked(t, value)) > 0 && time.Now().Before(deadline) {
	}
	if left := marked(t, value); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}
