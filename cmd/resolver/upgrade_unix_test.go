//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpgrade_WorkerKilled rolls a build out under a worker: the worker is killed between the refund and its
// record, and a build with one more field in its state takes the lease, reads the old rows and goes on.
func TestUpgrade_WorkerKilled(t *testing.T) {
	forTheGate(t)
	next := nextBuild(t)
	template := stored(t)
	template.ok("run", "T-65273", "--interrupt", "after-step-1")
	template.ok("approve", storedRun, "--as", "agent", "--interrupt", "before-write")
	f := killIn(t, template, moment{runsFile, attemptOnRecord, practiceFile, refundsMade}, "work", "--once")
	out := f.by(next, "work", "--once")
	for _, line := range []string{"Resuming " + storedRun + " (status executing)", "Resuming T-65273-agent-chat-small-1 (status running)", "2 run(s) finished"} {
		if !strings.Contains(out, line) {
			t.Errorf("the next build's work says nothing of %q:\n%s", line, out)
		}
	}
	if n := len(f.changes()); n != 1 {
		t.Errorf("%d changes, want 1", n)
	}
	if out := f.by(next, "trail"); !strings.Contains(out, "whole") {
		t.Errorf("the trail of both builds:\n%s", out)
	}
	for _, run := range []string{storedRun, "T-65273-agent-chat-small-1"} {
		var saved map[string]json.RawMessage
		if err := json.Unmarshal([]byte(f.savedText(run)), &saved); err != nil || string(saved["priority"]) != `"normal"` {
			t.Errorf("%s was saved with priority %s, %v", run, saved["priority"], err)
		}
	}
	// The old build does not drop what it can't read: it refuses, and says why.
	code, _, errOut := f.run("trace", storedRun)
	if code != exitRefused || !strings.Contains(errOut, "field priority is not known to this build (saved by a newer one?)") {
		t.Errorf("the old build on a row of the next one: exit %d, %s", code, errOut)
	}
}

// nextBuild builds this program with one more required field in the saved state. The sources are replaced
// for the compiler alone.
func nextBuild(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for file, change := range map[string][2]string{
		"state.go":  {"`json:\"ticket_id\"`\n", "`json:\"ticket_id\"`\n\tPriority string `json:\"priority\"`\n"},
		"decode.go": {`{"faults_seen",`, `{"priority", "faults_seen",`},
	} {
		at, err := filepath.Abs(filepath.Join("..", "..", "resolver", file))
		if err != nil {
			t.Fatal(err)
		}
		replace[at] = edited(t, at, dir, change)
	}
	fill := "func fillDefaults(s *TaskState) {\n"
	edited(t, filepath.Join(dir, "decode.go"), dir, [2]string{fill, fill + "\tif s.Priority == \"\" {\n\t\ts.Priority = \"normal\"\n\t}\n"})
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "resolver-next")
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// edited writes a source with one change into a folder, and returns its path.
func edited(t *testing.T, source, dir string, change [2]string) string {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), change[0]) != 1 {
		t.Fatalf("%s holds %q %d times", source, change[0], strings.Count(string(text), change[0]))
	}
	to := filepath.Join(dir, filepath.Base(source))
	if err := os.WriteFile(to, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// by runs a command by another build.
func (f folder) by(binary string, args ...string) string {
	f.t.Helper()
	c := f.command(args...)
	c.Path = binary
	out, err := c.CombinedOutput()
	if err != nil {
		f.t.Fatalf("%s %s: %v\n%s", filepath.Base(binary), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// savedText is a run's row as it lies in the file, whichever build wrote it.
func (f folder) savedText(run string) (text string) {
	f.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(f.dir, runsFile)+"?mode=ro")
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(f.t.Context(), "SELECT state FROM runs WHERE run_id = ?", run).Scan(&text); err != nil {
		f.t.Fatal(err)
	}
	return text
}
