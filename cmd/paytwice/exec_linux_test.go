package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// However it is told to stop, exec leaves no process and no folder, and says how far it came.
func TestExec_Stopped(t *testing.T) {
	forTheGate(t)
	bin := filepath.Join(t.TempDir(), "paytwice")
	build := exec.Command("go", "build", "-o", bin, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			cmd := exec.Command(bin, "exec", "--quiet", "--exactly-once", "f", "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.05; echo $i >>g; done; sort -u g >f")
			cmd.Dir = t.TempDir()
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid := cmd.Process.Pid
			for len(processesBelow(pid)) == 0 {
				time.Sleep(time.Millisecond)
			}
			// Two undisturbed runs take a second; then kills are under way.
			time.Sleep(2 * time.Second)
			folders := caseFolders(t, pid)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if len(folders) != 1 || len(caseFolders(t, pid)) > 0 {
				t.Errorf("folders before %q and after %q", folders, caseFolders(t, pid))
			}
			if left := processesBelow(pid); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
			if cmd.ProcessState.ExitCode() != exitUndecided || !strings.Contains(stdout.String(), "not complete: the sweep was interrupted after ") {
				t.Errorf("exit %d\n%s%s", cmd.ProcessState.ExitCode(), stdout.String(), stderr.String())
			}
		})
	}
}

// processesBelow returns the processes that work in a case's folder of a process.
func processesBelow(pid int) []string {
	var out []string
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && strings.Contains(to, fmt.Sprintf("-%d-", pid)) && strings.Contains(to, "/paytwice-exec-") {
			out = append(out, l)
		}
	}
	return out
}
