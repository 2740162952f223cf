package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // counts what a case left behind

	"github.com/paytwice/paytwice/scenarios/catalog"
)

var update = flag.Bool("update", false, "rewrite the goldens of the scripts")

// everyStep is set where the command, as a process of its own, is to say every step of its progress.
const everyStep = "PAYTWICE_TEST_EVERY_STEP"

// TestMain makes the test binary the command, also for the children that the command starts.
func TestMain(m *testing.M) {
	catalog.ChildMain()
	plainEvery = time.Hour // A slow machine must not add lines to what a script compares.
	if os.Getenv(everyStep) != "" {
		plainEvery = 0
	}
	testscript.Main(m, map[string]func(){"paytwice": main, "stubborn": stubborn})
}

// TestScripts runs the archives of testdata/script. Beside testscript's own commands they have:
//
//	code N PROGRAM ARGS...   runs a program that must end with exactly this exit code
//	errline REGEXP           the last standard error is one line, and it matches
//	refunds N CENTS FILE     a database holds N refunds that sum up to CENTS
//	again N                  runs the last "replay" line of standard output, which must end with this code
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			// A process under the race detector sleeps a second before it ends.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    scriptCode,
			"errline": scriptErrLine,
			"refunds": scriptRefunds,
			"again":   scriptAgain,
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

func scriptErrLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: errline REGEXP")
	}
	if wrong := oneLine(ts.ReadFile("stderr"), args[0]); wrong != "" {
		ts.Fatalf("%s", wrong)
	}
}

// oneLine returns what is wrong with a text that is to be one line and to match; empty when nothing is.
func oneLine(text, want string) string {
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		return fmt.Sprintf("not one line: %q", text)
	}
	if !regexp.MustCompile(want).MatchString(strings.TrimSuffix(text, "\n")) {
		return fmt.Sprintf("%q does not match %q", text, want)
	}
	return ""
}

func scriptRefunds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: refunds N CENTS FILE")
	}
	n, cents, err := countRefunds(ts.MkAbs(args[2]))
	ts.Check(err)
	if got := fmt.Sprintf("%d %d", n, cents); got != args[0]+" "+args[1] {
		ts.Fatalf("%s holds %s, want %s %s", args[2], got, args[0], args[1])
	}
}

// refundsQuery counts what happened since the database was made: records that it came with have no number.
const refundsQuery = `SELECT COUNT(*), COALESCE(SUM(amount_cents), 0) FROM refunds WHERE seq IS NOT NULL AND reversed_at = ''`

// countRefunds counts the refunds in a database of the practice services. It knows the file and nothing
// of the program.
func countRefunds(path string) (n int, cents int64, err error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	err = db.QueryRowContext(context.Background(), refundsQuery).Scan(&n, &cents)
	return n, cents, err
}

func scriptAgain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: again N")
	}
	found := regexp.MustCompile(`(?m)^\s*replay\s+paytwice (.*) '(.*)'$`).FindAllStringSubmatch(ts.ReadFile("stdout"), -1)
	if len(found) == 0 {
		ts.Fatalf("no replay command on standard output")
	}
	last := found[len(found)-1]
	line := append([]string{args[0], "paytwice"}, strings.Fields(last[1])...)
	scriptCode(ts, false, append(line, last[2]))
}

// TestOneLine sees the check fail: a script whose comparison can't fail shows nothing.
func TestOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		wrong      bool
	}{
		"matches":       {"paytwice: no\n", "^paytwice: no$", false},
		"does not":      {"paytwice: no\n", "yes", true},
		"two lines":     {"paytwice: no\nmore\n", "no", true},
		"nothing":       {"", "", true},
		"no end":        {"paytwice: no", "no", true},
		"an empty line": {"\n", "no", true},
	} {
		if got := oneLine(c.text, c.want); (got != "") != c.wrong {
			t.Errorf("%s: %q", name, got)
		}
	}
}
