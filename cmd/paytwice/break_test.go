//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/scenarios"
)

// started is the command as a process of its own: the test binary under the command's name.
func started(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startedAs(t, self, "paytwice", args...)
}

// startedAs starts the test binary as one of the programs that it has in it.
func startedAs(t *testing.T, self, name string, args ...string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	return cmd
}

func exitOf(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// TestChild_SetByHand: the variable that makes the binary a child, without the parent that goes with it, is
// an error and no matrix.
func TestChild_SetByHand(t *testing.T) {
	cmd := started(t, "matrix")
	cmd.Env = append(cmd.Env, child.Env+"=refund")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if code := exitOf(t, cmd.Run()); code != exitHarness {
		t.Errorf("exit code %d", code)
	}
	// Whatever the process holds open at the pipes' numbers, it is no order.
	if wrong := oneLine(errOut.String(), "^paytwice: (PAYTWICE_CHILD is set|order of the parent)"); wrong != "" || out.Len() > 0 {
		t.Error(wrong, out.String())
	}
}

// TestOutput_Lost: a result that nobody could read is no success.
func TestOutput_Lost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/dev/full")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"matrix", "--mode", "simulate"}, {"points"}, {"strategies"}, {"explore", "--crashes", "1"}, {"matrix", "--help"}} {
		cmd := started(t, args...)
		var errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errOut
		if code := exitOf(t, cmd.Run()); code != exitHarness {
			t.Errorf("%v: exit code %d", args, code)
		}
		if wrong := oneLine(errOut.String(), "no space left on device$"); wrong != "" {
			t.Errorf("%v: %s", args, wrong)
		}
	}
}

// TestReplay_Interrupted: a stop while it waits at a kill ends it, and leaves neither the folder nor a
// process behind.
func TestReplay_Interrupted(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := started(t, "replay", "--pause", "kill payment.request_refund/after#1")
		// The input stays open: nothing but the signal ends the wait.
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		errOut, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, dir := bufio.NewScanner(errOut), ""
		for lines.Scan() {
			if m := regexp.MustCompile(`its databases are in (.*)$`).FindStringSubmatch(lines.Text()); m != nil {
				dir = m[1]
			}
			if strings.Contains(lines.Text(), "press Enter") {
				break
			}
		}
		if _, err := os.Stat(filepath.Join(dir, scenarios.LarkfieldFile)); err != nil {
			t.Errorf("while it waits: %v", err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // to its end, so that nothing blocks
		}
		if code := exitOf(t, cmd.Wait()); code != exitUndecided {
			t.Errorf("%s: exit code %d", signal, code)
		}
		if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %s is still there: %v", signal, filepath.Dir(dir), err)
		}
	}
}

// TestStopped: a context that ends stops every command that runs something, and nothing half done passes for whole.
func TestStopped(t *testing.T) {
	for _, args := range [][]string{
		{"matrix"}, {"matrix", "--mode", "simulate"}, {"show", "--point", "after-write", "--strategy", "restart"}, {"points"},
		{"explore"}, {"explore", "--mode", "kill", "--crashes", "1"}, {"check", "refund"}, {"replay", "run"}, {"replay", "--mode", "kill", "run"}, {"audit"}, {"audit", "--mode", "simulate"},
	} {
		ctx, stop := context.WithCancel(context.Background())
		stop()
		file := filepath.Join(t.TempDir(), "out")
		var out, errOut bytes.Buffer
		code := run(ctx, append(args, "-o", file), &out, &errOut)
		// What is made of several pieces says which it had made; the others have no half result.
		says, files := "interrupted", 1
		if args[0] == "show" || args[0] == "points" {
			says, files = "interrupted$", 0
		}
		if wrong := oneLine(errOut.String(), says); code != exitUndecided || wrong != "" || out.Len() > 0 {
			t.Errorf("%v: exit code %d, %s%s", args, code, wrong, out.String())
		}
		if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != files {
			t.Errorf("%v: left behind %v, %v", args, left, err)
		}
	}
}

// TestReplay_ManyLives: the most lives that a plan may have, and one more.
func TestReplay_ManyLives(t *testing.T) {
	forTheGate(t)
	lives := func(n int) string {
		return strings.Repeat("kill lease.acquire/before#1; ", n-1) + "kill lease.acquire/before#1"
	}
	for _, mode := range []string{"simulate", "kill"} {
		out := string(command(t, 0, "replay", "--mode", mode, lives(64)))
		if !strings.Contains(out, "\nlife 65\n") || !strings.Contains(out, "\nVerdict: pass\n") {
			t.Errorf("%s: 64 kills and a life: %.300s", mode, out)
		}
	}
	command(t, 2, "replay", lives(65))
}
