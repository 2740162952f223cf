package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

var update = flag.Bool("update", false, "rewrite the goldens of the scripts")

// TestScripts runs the archives of testdata/script. Beside testscript's own commands they have:
//
//	code N PROGRAM ARGS...   runs a program that must end with exactly this exit code
//	shows FILE               compares the last standard output with marked lines; see showsError
//	course FOLDER            writes a course folder with the embedded data and no recordings
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":   scriptCode,
			"shows":  scriptShows,
			"course": scriptCourse,
		},
	})
}

func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func scriptShows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shows FILE")
	}
	if err := showsError(ts.ReadFile("stdout"), ts.ReadFile(args[0])); err != "" {
		ts.Fatalf("%s: %s", args[0], err)
	}
}

// showsError compares an output with marked lines, and returns what is wrong, empty when nothing is:
//
//	= LINE     this line, below the one that was found before it
//	~ REGEXP   a line that matches, in the same way
//	- REGEXP   no line matches
func showsError(output, marks string) string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	at := 0
	for _, mark := range strings.Split(strings.TrimRight(marks, "\n"), "\n") {
		kind, want, ok := strings.Cut(mark, " ")
		if mark == "" {
			continue
		}
		if !ok || !strings.Contains("=~-", kind) || kind == "" {
			return "not a mark: " + mark
		}
		hit := func(line string) bool { return line == strings.TrimRight(want, " ") }
		if kind != "=" {
			hit = regexp.MustCompile(want).MatchString
		}
		if kind == "-" {
			if slices.ContainsFunc(lines, hit) {
				return "a line matches what must not appear: " + want
			}
			continue
		}
		found := slices.IndexFunc(lines[at:], hit)
		if found < 0 {
			return "not found, in this order: " + want
		}
		at += found + 1
	}
	return ""
}

func scriptCourse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: course FOLDER")
	}
	ts.Check(writeCourse(ts.MkAbs(args[0])))
}

// writeCourse writes a course folder with the embedded data, and an empty folder for recordings.
func writeCourse(folder string) error {
	data := filepath.Join(folder, "data")
	if err := os.CopyFS(data, larkfield.Embedded()); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(data, larkfield.RecordingsDir)); err != nil {
		return err
	}
	return os.Mkdir(filepath.Join(folder, larkfield.RecordingsDir), 0o755)
}

// TestShowsError sees the marks fail: a script whose comparison can't fail shows nothing.
func TestShowsError(t *testing.T) {
	for name, c := range map[string]struct {
		output, marks string
		wrong         bool
	}{
		"exact":              {"a\nb\n", "= a\n= b\n", false},
		"trailing blanks":    {"a  \n", "= a\n", false},
		"a part is no line":  {"ab\n", "= a\n", true},
		"matches":            {"one 12\n", `~ ^one \d+$`, false},
		"does not match":     {"one\n", `~ ^one \d+$`, true},
		"out of order":       {"b\na\n", "= a\n= b\n", true},
		"one line for two":   {"a\n", "= a\n= a\n", true},
		"absent":             {"a\n", "- b\n", false},
		"present":            {"a\nb\n", "= a\n- b\n", true},
		"present before":     {"b\na\n", "= a\n- b\n", true},
		"an unknown mark":    {"a\n", "? a\n", true},
		"a mark and no text": {"a\n", "=\n", true},
	} {
		if got := showsError(c.output, c.marks); (got != "") != c.wrong {
			t.Errorf("%s: %q", name, got)
		}
	}
}
