//go:build unix

package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/paytwice/paytwice/resolver"
)

// command returns the program as a process of its own, working on a folder.
func (f folder) command(args ...string) *exec.Cmd {
	c := exec.Command("resolver", append([]string{"--dir", f.dir}, args...)...)
	c.Env = append(os.Environ(), "RESOLVER_DIR=", "TZ=UTC")
	return c
}

// stepHolder watches the saved runs from outside and keeps a read lock once a run has reached a step: from
// then on no other save can be committed, so the process can be killed exactly behind that one.
type stepHolder struct {
	db *sql.DB
	tx *sql.Tx
}

// hold waits until the run is at a step, and keeps it there; held is false when the run was faster.
func hold(ctx context.Context, path, runID string, step int) (h *stepHolder, held bool, err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, false, err
	}
	db.SetMaxOpenConns(1)
	for ctx.Err() == nil {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			break
		}
		at := -1
		err = tx.QueryRowContext(ctx, `SELECT json_extract(state, '$.step') FROM runs WHERE run_id = ?`, runID).Scan(&at)
		if err == nil && at >= step {
			return &stepHolder{db, tx}, at == step, nil
		}
		tx.Rollback()
	}
	db.Close()
	return nil, false, fmt.Errorf("the run never reached step %d: %w", step, ctx.Err())
}

func (h *stepHolder) release() {
	h.tx.Rollback()
	h.db.Close()
}

// killAfterStep kills a run of T-65273 with SIGKILL once a step is saved and before the next save.
func (f folder) killAfterStep(step int) (runID string) {
	f.t.Helper()
	const tries = 40
	for n := 1; n <= tries; n++ {
		runID = resolver.RunID("T-65273", "agent", "chat-small", n)
		c := f.command("run", "T-65273")
		if err := c.Start(); err != nil {
			f.t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(f.t.Context(), 20*time.Second)
		h, held, err := hold(ctx, filepath.Join(f.dir, runsFile), runID, step)
		cancel()
		_ = c.Process.Kill() // Whether it landed is what the process's status says.
		_ = c.Wait()
		if err != nil {
			f.t.Fatal(err)
		}
		h.release()
		// The run may have passed the step between two looks, or have ended after the last one.
		status, ok := c.ProcessState.Sys().(syscall.WaitStatus)
		if held && ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return runID
		}
	}
	f.t.Fatalf("step %d was never caught in %d tries", step, tries)
	return ""
}

func TestResume_KilledAfterAnyStep(t *testing.T) {
	const totals = "Outcome: resolve (rule W7) | 3 model call(s), 2 tool call(s) | 7155 tokens in, 192 out | US$0.00081\n"
	for step := range 4 {
		t.Run(fmt.Sprintf("step %d", step), func(t *testing.T) {
			f := newFolder(t)
			f.ok("reset", "--all")
			f.ok("runs")
			runID := f.killAfterStep(step)
			s := f.state(runID)
			if s.Step != step {
				t.Fatalf("step %d is on disk, want %d", s.Step, step)
			}
			begun := time.Now()
			out := f.ok("resume", runID)
			// The dead process holds the lease, for 30 seconds by its own word.
			if took := time.Since(begun); took > resolver.DefaultLeaseTTL/3 {
				t.Errorf("the resume took %s", took)
			}
			if s.Status == resolver.Running && !strings.Contains(out, totals) {
				t.Errorf("the resume printed\n%swant\n%s", out, totals)
			}
			if !strings.Contains(out, "Approval needed for run "+runID+" (ticket T-65273)\n") {
				t.Errorf("no request:\n%s", out)
			}
			if s := f.state(runID); s.Usage.ModelCalls != 3 || s.Usage.InputTokens != 7155 || s.Usage.OutputTokens != 192 {
				t.Errorf("usage %+v", s.Usage)
			}
			f.ok("approve", runID, "--as", "team_lead")
			if n := len(f.changes()); n != 1 {
				t.Errorf("%d changes, want 1", n)
			}
		})
	}
}

// TestResume_KilledAtAnyMoment kills run, approve and resume wherever they happen to be, over and over: the
// totals are those of one life, and there is one effect.
func TestResume_KilledAtAnyMoment(t *testing.T) {
	f := newFolder(t)
	f.ok("reset", "--all")
	const runID = "T-90104-agent-chat-small-1"
	killAfter := func(d time.Duration, args ...string) {
		c := f.command(args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(d)
		_ = c.Process.Kill() // It may have ended.
		_ = c.Wait()
	}
	for i := range 24 {
		d := time.Duration(i) * 900 * time.Microsecond
		f.ok("reset", "--all")
		killAfter(d, "run", "T-90104")
		if code, _, _ := f.run("resume", runID); code != 0 {
			f.ok("run", "T-90104") // It was killed before its first save.
		}
		killAfter(d, "approve", runID, "--as", "agent")
		killAfter(d, "resume", runID)
		if f.state(runID).Status == resolver.WaitingApproval {
			f.ok("approve", runID, "--as", "agent")
		}
		f.ok("resume", runID)
		s := f.state(runID)
		if s.Status != resolver.Done || s.Usage.ModelCalls != 3 || len(s.Operations) != 1 {
			t.Fatalf("round %d: %s, %+v, %+v", i, s.Status, s.Usage, s.Operations)
		}
		if n := len(f.changes()); n != 1 {
			t.Fatalf("round %d: %d changes, want 1", i, n)
		}
	}
}

// together starts all commands and lets them begin at the same moment.
func together(t *testing.T, commands []*exec.Cmd) (outs []string, codes []int) {
	t.Helper()
	outs, codes = make([]string, len(commands)), make([]int, len(commands))
	var wait sync.WaitGroup
	begin := make(chan struct{})
	for i, c := range commands {
		wait.Add(1)
		go func() {
			defer wait.Done()
			<-begin
			out, err := c.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				out, codes[i] = []byte(err.Error()), -1
			} else {
				codes[i] = c.ProcessState.ExitCode()
			}
			outs[i] = string(bytes.TrimSpace(out))
		}()
	}
	close(begin)
	wait.Wait()
	return outs, codes
}
