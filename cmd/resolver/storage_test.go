package main

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

const storedRun = "T-90104-agent-chat-small-1"

// stored returns a folder with a run that waits, and one that is done.
func stored(t *testing.T) folder {
	t.Helper()
	f := newFolder(t)
	f.ok("run", "T-90104")
	f.ok("run", "T-80008")
	return f
}

// sql runs statements on a file of the folder, as a hand or a bug would.
func (f folder) sql(file string, statements ...string) {
	f.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.dir, file))
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(f.t.Context(), s); err != nil {
			f.t.Fatalf("%s: %v", s, err)
		}
	}
}

// refusedWith runs a command that must be refused, with every text in what it says and no result.
func (f folder) refusedWith(args []string, texts ...string) {
	f.t.Helper()
	code, out, errOut := f.run(args...)
	if code != exitRefused || out != "" {
		f.t.Errorf("resolver %s: exit %d, want 1 and no result\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	for _, text := range texts {
		if !strings.Contains(errOut, text) {
			f.t.Errorf("resolver %s: it says %q, without %q", strings.Join(args, " "), errOut, text)
		}
	}
}

func TestStorage_ARowThatIsWrong(t *testing.T) {
	forTheGate(t)
	for name, c := range map[string]struct{ statement, want string }{
		"a missing field":   {`UPDATE runs SET state = json_remove(state, '$.usage')`, "field usage is missing"},
		"a field below":     {`UPDATE runs SET state = json_remove(state, '$.usage.model_calls')`, "field usage.model_calls is missing"},
		"a wrong type":      {`UPDATE runs SET state = json_set(state, '$.step', 'three')`, "field step: a string stands where a int belongs"},
		"null":              {`UPDATE runs SET state = json_set(state, '$.messages', null)`, "field messages is null"},
		"an unknown field":  {`UPDATE runs SET state = json_set(state, '$.colour', 'red')`, "field colour is not known to this build"},
		"an unknown status": {`UPDATE runs SET state = json_set(state, '$.status', 'paid')`, "field status"},
		"no JSON":           {`UPDATE runs SET state = 'paid'`, "saved state can't be used"},
		"an empty state":    {`UPDATE runs SET state = ''`, "saved state can't be used"},
	} {
		t.Run(name, func(t *testing.T) {
			f := stored(t)
			f.sql(runsFile, `CREATE TABLE kept AS SELECT run_id, state FROM runs`, c.statement+` WHERE run_id = '`+storedRun+`'`)
			for _, args := range [][]string{
				{"resume", storedRun}, {"approve", storedRun, "--as", "grace"}, {"reject", storedRun, "--as", "grace"}, {"trace", "T-90104"},
			} {
				f.refusedWith(args, filepath.Join(f.dir, runsFile), storedRun, c.want)
			}
			// The list and the other run are as they were, and nothing was changed by trying.
			if out := f.ok("runs"); strings.Count(out, "\n") != 2 {
				t.Errorf("runs:\n%s", out)
			}
			f.ok("trace", "T-80008")
			if n := len(f.changes()); n != 0 {
				t.Errorf("%d changes", n)
			}
			f.sql(runsFile, `UPDATE runs SET state = (SELECT state FROM kept k WHERE k.run_id = runs.run_id)`, `DROP TABLE kept`)
			f.ok("approve", storedRun, "--as", "agent")
		})
	}
}

func TestStorage_AWorkerLeavesAWrongRow(t *testing.T) {
	f := stored(t)
	f.ok("run", "T-90604")
	f.ok("approve", "T-90604-agent-chat-small-1", "--as", "agent", "--interrupt", "before-write")
	f.ok("run", "T-65273", "--interrupt", "after-step-1")
	f.sql(runsFile, `CREATE TABLE kept AS SELECT state FROM runs WHERE run_id = 'T-65273-agent-chat-small-1'`,
		`UPDATE runs SET state = json_remove(state, '$.usage') WHERE run_id = 'T-65273-agent-chat-small-1'`)
	code, out, errOut := f.run("work", "--once")
	if code != 1 || !strings.Contains(out, "1 run(s) finished") || !strings.Contains(errOut, "field usage is missing") {
		t.Errorf("exit %d\n%s%s", code, out, errOut)
	}
	f.sql(runsFile, `UPDATE runs SET state = (SELECT state FROM kept) WHERE run_id = 'T-65273-agent-chat-small-1'`, `DROP TABLE kept`)
}

func TestStorage_CutShort(t *testing.T) {
	forTheGate(t)
	for _, file := range []string{runsFile, practiceFile} {
		for _, part := range []struct {
			name string
			keep func(int64) int64
		}{
			{"half", func(n int64) int64 { return n / 2 }},
			{"the last page's middle", func(n int64) int64 { return n - 2000 }},
			{"its header", func(int64) int64 { return 60 }},
		} {
			t.Run(file+"/"+part.name, func(t *testing.T) {
				f := stored(t)
				path := filepath.Join(f.dir, file)
				whole, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(path, part.keep(int64(len(whole)))); err != nil {
					t.Fatal(err)
				}
				cut, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				f.refusedWith([]string{"approve", storedRun, "--as", "agent"}, path, "move ")
				if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, cut) {
					t.Errorf("the damaged file was changed: %v", err)
				}
				// What the message says helps: the file from before, or a fresh one.
				if err := os.WriteFile(path, whole, 0o644); err != nil {
					t.Fatal(err)
				}
				f.ok("approve", storedRun, "--as", "agent")
				if err := os.Truncate(path, part.keep(int64(len(whole)))); err != nil {
					t.Fatal(err)
				}
				if file == runsFile {
					f.refusedWith([]string{"reset"}, path) // Whether a run is under way can't be seen.
				}
				f.ok("reset", "--all")
				f.ok("run", "T-90104")
			})
		}
	}
}

func TestStorage_OtherFiles(t *testing.T) {
	for _, file := range []string{runsFile, practiceFile} {
		t.Run(file, func(t *testing.T) {
			f := stored(t)
			path := filepath.Join(f.dir, file)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("a letter to the bank, of more than a hundred letters, so that it is long enough to have a header ....."), 0o644); err != nil {
				t.Fatal(err)
			}
			f.refusedWith([]string{"approve", storedRun, "--as", "agent"}, path)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			f.sql(file, `CREATE TABLE shopping (item TEXT)`)
			f.refusedWith([]string{"approve", storedRun, "--as", "agent"}, path)
			if file == runsFile {
				// Somebody else's database is not what reset --all is for.
				f.refusedWith([]string{"reset", "--all"}, path, "no store of runs")
			}
			if err := os.WriteFile(path, whole, 0o644); err != nil {
				t.Fatal(err)
			}
			f.ok("approve", storedRun, "--as", "agent")
		})
	}
}

// lock keeps a file locked against everybody until it is let go.
func (f folder) lock(file string) (release func()) {
	f.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(f.dir, file))
	if err != nil {
		f.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(f.t.Context(), `BEGIN EXCLUSIVE`); err != nil {
		f.t.Fatal(err)
	}
	return func() {
		if _, err := db.ExecContext(context.Background(), `ROLLBACK`); err != nil {
			f.t.Error(err)
		}
		db.Close()
	}
}

// TestStorage_Locked waits for the five seconds that the program itself waits, for both files at once.
func TestStorage_Locked(t *testing.T) {
	forTheGate(t)
	for _, file := range []string{runsFile, practiceFile} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			f := stored(t)
			release := f.lock(file)
			f.refusedWith([]string{"approve", storedRun, "--as", "agent"}, filepath.Join(f.dir, file), "another process", "try again")
			release()
			if s := f.state(storedRun); s.Status != resolver.WaitingApproval {
				t.Errorf("the run is %s", s.Status)
			}
			// A lock that goes away in time is waited for.
			release = f.lock(file)
			timer := time.AfterFunc(300*time.Millisecond, release)
			defer timer.Stop()
			f.ok("approve", storedRun, "--as", "agent")
			if n := len(f.changes()); n != 1 {
				t.Errorf("%d changes", n)
			}
		})
	}
}

func TestStorage_AFolderThatCantBeWritten(t *testing.T) {
	parent := t.TempDir()
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		f := folder{t, dir}
		f.refusedWith([]string{"run", "T-90104"}, dir, "--dir")
		f.refusedWith([]string{"runs"}, dir, "--dir")
		f.refusedWith([]string{"reset"}, dir)
	}
	if runtime.GOOS == "linux" { // Nobody makes a folder there, whoever he is.
		folder{t, "/proc/resolver"}.refusedWith([]string{"run", "T-90104"}, "work folder /proc/resolver can't be made", "--dir")
	}
	if os.Getuid() <= 0 {
		t.Log("root may write everywhere: the read-only folder is not tried")
		return
	}
	readOnly := filepath.Join(parent, "readonly")
	if err := os.Mkdir(readOnly, 0o555); err != nil {
		t.Fatal(err)
	}
	f := folder{t, readOnly}
	f.refusedWith([]string{"run", "T-90104"}, filepath.Join(readOnly, runsFile), "you may write to it")
}

// TestStorage_AFolderOfAKilledSetUp begins with what a process leaves that was killed while it made the
// folder's files.
func TestStorage_AFolderOfAKilledSetUp(t *testing.T) {
	f := newFolder(t)
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, runsFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f.ok("run", "T-90104")
}

func TestStorage_ALostPracticeDatabase(t *testing.T) {
	f := stored(t)
	if err := os.Remove(filepath.Join(f.dir, practiceFile)); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := f.run("approve", storedRun, "--as", "agent")
	if code != 0 || !strings.Contains(errOut, practiceFile+" was missing: a fresh practice database was made") {
		t.Errorf("exit %d\n%s%s", code, out, errOut)
	}
}

func TestStorage_ATrailThatWasChanged(t *testing.T) {
	f := stored(t)
	f.sql(runsFile, `DROP TRIGGER trail_no_update`, `UPDATE trail SET actor = 'nobody' WHERE seq = 1`)
	code, out, errOut := f.run("trail")
	if code != 1 || strings.Contains(out, "whole") || !strings.Contains(errOut, "the trail is broken at entry 1") {
		t.Errorf("exit %d\n%s%s", code, out, errOut)
	}
	code, out, _ = f.run("trail", "--format", "json")
	if code != 1 || !strings.HasPrefix(out, `{"whole":false,`) {
		t.Errorf("exit %d\n%s", code, out)
	}
	if err := os.RemoveAll(f.dir); err != nil { // Nothing to check any more.
		t.Fatal(err)
	}
	f.ok("run", "T-90104")
}

// brokenPipe is an output that takes nothing.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestOutput_ThatIsLost(t *testing.T) {
	f := stored(t)
	var errOut bytes.Buffer
	code := run(t.Context(), []string{"--dir", f.dir, "runs"}, brokenPipe{}, &errOut, func(string) string { return "" })
	if code != 1 || !strings.Contains(errOut.String(), "the result could not be written") {
		t.Errorf("exit %d: %s", code, errOut.String())
	}
}
