//go:build unix

package main

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// workerProcess is a running resolver work.
type workerProcess struct {
	*exec.Cmd
	lines chan string
}

func (f folder) work(args ...string) *workerProcess {
	f.t.Helper()
	w := &workerProcess{Cmd: f.command(append([]string{"work"}, args...)...), lines: make(chan string, 100)}
	out, err := w.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = w.Process.Kill() }) // It has ended, if all is well.
	go func() {
		defer close(w.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			w.lines <- lines.Text()
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	return w
}

// says waits for a line.
func (w *workerProcess) says(t *testing.T, want string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case line, ok := <-w.lines:
			if !ok {
				t.Fatalf("the worker ended without %q", want)
			}
			if strings.HasPrefix(line, want) {
				return
			}
		case <-deadline:
			t.Fatalf("the worker never said %q", want)
		}
	}
}

func TestWork_KeepsLookingUntilItIsStopped(t *testing.T) {
	forTheGate(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			f := newFolder(t)
			f.ok("run", "T-90104")
			f.ok("approve", storedRun, "--as", "agent", "--interrupt", "before-write")
			w := f.work()
			w.says(t, "Resuming "+storedRun)
			w.says(t, "Status: done")
			// What is approved while it waits is found, too.
			f.ok("run", "T-65273", "--interrupt", "after-step-1")
			w.says(t, "Resuming T-65273-agent-chat-small-1 (status running)")
			w.says(t, "Next: ")
			if err := w.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			w.says(t, "2 run(s) finished")
			for range w.lines { // Until it has closed its output.
			}
			if err := w.Wait(); err != nil {
				t.Errorf("the worker ended with %v", err)
			}
			if n := len(f.changes()); n != 1 {
				t.Errorf("%d changes", n)
			}
		})
	}
}

// TestWork_TakesOverFromADeadProcess kills a process that holds a lease; nobody waits for it to run out.
func TestWork_TakesOverFromADeadProcess(t *testing.T) {
	f := newFolder(t)
	f.ok("changes") // Sets the folder up, so that the file of runs can be asked at once.
	runID := f.killAfterStep(1)
	begun := time.Now()
	if out := f.ok("work", "--once"); !strings.Contains(out, "Resuming "+runID+" (status running)") {
		t.Errorf("work:\n%s", out)
	}
	if took := time.Since(begun); took > resolver.DefaultLeaseTTL/3 {
		t.Errorf("it took %s", took)
	}
}

// TestWork_AfterAReset resets the folder under a worker that looks: it must not go on with the old files.
func TestWork_AfterAReset(t *testing.T) {
	forTheGate(t)
	f := newFolder(t)
	f.ok("run", "T-90104")
	f.ok("approve", storedRun, "--as", "agent", "--interrupt", "before-write")
	w := f.work()
	w.says(t, "Status: done")
	f.resetAll()
	f.ok("run", "T-90104")
	f.ok("approve", storedRun, "--as", "agent", "--interrupt", "before-write")
	w.says(t, "Resuming "+storedRun)
	w.says(t, "Status: done")
	if err := w.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.says(t, "2 run(s) finished")
	if n := len(f.changes()); n != 1 {
		t.Errorf("%d changes", n)
	}
}

// resetAll resets the folder, again while a worker holds a lease for a moment.
func (f folder) resetAll() {
	f.t.Helper()
	for tries := 0; ; tries++ {
		code, _, errOut := f.run("reset", "--all")
		if code == 0 {
			return
		}
		if tries == 1000 {
			f.t.Fatal(errOut)
		}
	}
}
