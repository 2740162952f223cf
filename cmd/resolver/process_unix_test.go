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

// holder keeps a read lock on a file of the folder: other processes can read it, and commit nothing.
type holder struct {
	db *sql.DB
	tx *sql.Tx
}

// hold waits until a number in a file, which rises, has reached a value, and keeps the file as it is then: a
// process that is killed now is killed exactly behind the commit that the number came with. exact is false
// when the file was faster and the number is higher.
func hold(ctx context.Context, path, query string, value int) (h *holder, exact bool, err error) {
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
		var at sql.NullInt64
		err = tx.QueryRowContext(ctx, query).Scan(&at)
		if err == nil && at.Valid && int(at.Int64) >= value {
			return &holder{db, tx}, int(at.Int64) == value, nil
		}
		tx.Rollback()
	}
	db.Close()
	return nil, false, fmt.Errorf("%s never gave %d: %w", query, value, ctx.Err())
}

func (h *holder) release() {
	h.tx.Rollback()
	h.db.Close()
}

// kill ends a process with SIGKILL, and reports whether that is what it died of.
func kill(c *exec.Cmd) bool {
	_ = c.Process.Kill() // It may have ended.
	_ = c.Wait()         // How it ended is what its status says.
	status, ok := c.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
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
		query := fmt.Sprintf(`SELECT json_extract(state, '$.step') FROM runs WHERE run_id = '%s'`, runID)
		h, exact, err := hold(ctx, filepath.Join(f.dir, runsFile), query, step)
		cancel()
		killed := kill(c)
		if err != nil {
			f.t.Fatal(err)
		}
		h.release()
		// The run may have passed the step between two looks, or have ended after the last one.
		if exact && killed {
			return runID
		}
	}
	f.t.Fatalf("step %d was never caught in %d tries", step, tries)
	return ""
}

func TestResume_KilledAfterAnyStep(t *testing.T) {
	forTheGate(t)
	const totals = "Outcome: resolve (rule W7) | 3 model call(s), 2 tool call(s) | 7155 tokens in, 192 out | US$0.00081\n"
	for step := range 4 {
		t.Run(fmt.Sprintf("step %d", step), func(t *testing.T) {
			f := newFolder(t)
			f.ok("reset", "--all")
			f.ok("changes") // Sets the folder up, so that the file of runs can be asked at once.
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

// attemptOnRecord gives 1 while the first attempt is on record and its outcome is not, then 2.
const attemptOnRecord = `SELECT CASE json_extract(state, '$.operations[0].status') WHEN 'pending' THEN 1 ELSE 2 END FROM runs
	WHERE run_id = '` + storedRun + `' AND json_extract(state, '$.operations[0].attempts') = 1`

// moment is where a process is stopped: a read lock on one file keeps it from going on, and a number in the
// other says that it got there.
type moment struct{ keep, keepQuery, watch, watchQuery string }

// killIn kills a command at a moment, in a copy of a folder. A command that was faster than the look is tried
// again.
func killIn(t *testing.T, template folder, at moment, args ...string) folder {
	t.Helper()
	const tries = 40
	for range tries {
		f := folder{t, filepath.Join(t.TempDir(), "work")}
		if err := os.CopyFS(f.dir, os.DirFS(template.dir)); err != nil {
			t.Fatal(err)
		}
		if f.killedIn(at, args...) {
			return f
		}
	}
	t.Fatalf("%s was never caught in %d tries", args[0], tries)
	return folder{}
}

func (f folder) killedIn(at moment, args ...string) bool {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 20*time.Second)
	defer cancel()
	c := f.command(args...)
	if err := c.Start(); err != nil {
		f.t.Fatal(err)
	}
	defer kill(c)
	kept, exact, err := hold(ctx, filepath.Join(f.dir, at.keep), at.keepQuery, 1)
	if err != nil {
		f.t.Fatal(err)
	}
	defer kept.release()
	if !exact {
		return false
	}
	watched, exact, err := hold(ctx, filepath.Join(f.dir, at.watch), at.watchQuery, 1)
	if err != nil {
		f.t.Fatal(err)
	}
	watched.release()
	return exact && kill(c)
}

const refundsMade = `SELECT count(*) FROM refunds WHERE seq IS NOT NULL`

// TestResume_KilledAfterTheWrite kills between the refund and its record: the attempt is on record, the
// refund is made, and nobody was told.
func TestResume_KilledAfterTheWrite(t *testing.T) {
	f := killIn(t, stored(t), moment{runsFile, attemptOnRecord, practiceFile, refundsMade}, "approve", storedRun, "--as", "agent")
	t.Cleanup(f.check)
	f.finishes("1 call(s)", "found: it happened")
}

// TestResume_KilledBeforeTheWrite kills between the record of the attempt and the refund.
func TestResume_KilledBeforeTheWrite(t *testing.T) {
	const unchanged = `SELECT 1 + count(*) FROM refunds WHERE seq IS NOT NULL`
	f := killIn(t, stored(t), moment{practiceFile, unchanged, runsFile, attemptOnRecord}, "approve", storedRun, "--as", "agent")
	t.Cleanup(f.check)
	f.finishes("2 call(s)", "not found")
}

// finishes resumes the stored run: it asks, and there is one refund in the end.
func (f folder) finishes(calls, found string) {
	f.t.Helper()
	out := f.ok("resume", storedRun)
	if want := "request_refund LK-793996: done (operation 797fbb5bbb9f8a7e, " + calls + ")\nStatus: done\n"; !strings.HasSuffix(out, want) {
		f.t.Errorf("resume:\n%s", out)
	}
	if trace := f.ok("trace", storedRun); !strings.Contains(trace, "reconcile request_refund op 797fbb5bbb9f8a7e -> "+found+"\n") {
		f.t.Errorf("trace:\n%s", trace)
	}
	if n := len(f.changes()); n != 1 {
		f.t.Errorf("%d changes, want 1", n)
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
