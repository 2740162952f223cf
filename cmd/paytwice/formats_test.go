package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/reports/schema/schematest"
)

// jsonCommands are commands that write each document, with the exit code and the document's schema.
var jsonCommands = map[string]struct {
	args   []string
	code   int
	schema string
	gate   bool
}{
	"matrix":              {args: []string{"matrix", "--mode", "simulate"}, schema: "matrix"},
	"matrix, kill":        {args: []string{"matrix"}, schema: "matrix", gate: true},
	"matrix, all":         {args: []string{"matrix", "--mode", "simulate", "--point", "all", "--strategy", "all"}, schema: "matrix", gate: true},
	"matrix, other tools": {args: []string{"matrix", "--mode", "simulate", "--ticket", "T-90103"}, schema: "matrix"},
	"map":                 {args: []string{"matrix", "--mode", "simulate", "--point", "after-write", "--strategy", "all", "--provider", "larkfield,blind"}, schema: "matrix"},
	"matrix with notes":   {args: []string{"matrix", "--mode", "simulate", "--point", "payment.operation/after#1,after-write"}, code: 3, schema: "matrix"},
	"explore":             {args: []string{"explore", "--crashes", "1"}, schema: "explore"},
	"explore, violation":  {args: []string{"explore", "--strategy", "naive-retry", "--faults", "lose-response", "--crashes", "1"}, code: 1, schema: "explore"},
	"explore, undecided":  {args: []string{"explore", "--max-runs", "1"}, code: 4, schema: "explore"},
	"explore, no ticket":  {args: []string{"explore", "transfer"}, schema: "explore"},
	"explore, several":    {args: []string{"explore", "--crashes", "1", "--strategy", "operation-id,mark-first"}, code: 1, schema: "explorations"},
	"check":               {args: []string{"check", "refund", "--crashes", "1", "--mode", "simulate"}, schema: "explorations"},
	"check, all":          {args: []string{"check"}, schema: "explorations", gate: true},
	"show":                {args: []string{"show", "--point", "after-write", "--strategy", "naive-retry", "--mode", "simulate"}, schema: "history"},
	"replay":              {args: []string{"replay", "kill payment.request_refund/after#1; kill checkpoint.save/before#1"}, schema: "history"},
	"replay, violation":   {args: []string{"replay", "--strategy", "mark-first", "kill checkpoint.save/after#4"}, code: 1, schema: "history"},
	"replay, restart":     {args: []string{"replay", "--strategy", "restart", "kill payment.request_refund/after#1"}, code: 1, schema: "history"},
	"replay, killed":      {args: []string{"replay", "--mode", "kill", "kill payment.request_refund/after#1"}, schema: "history", gate: true},
	"replay, resumers":    {args: []string{"replay", "kill payment.request_refund/after#1; resumers 2"}, schema: "history"},
	"a shard of a matrix": {args: []string{"matrix", "--mode", "simulate", "--shard", "1/2"}, schema: "matrix"},
	"a shard of a check":  {args: []string{"check", "refund", "--crashes", "1", "--mode", "simulate", "--shard", "1/2"}, schema: "explorations"},
	"explore, recording":  {args: []string{"explore", "--crashes", "1", "--repeat", "2"}, schema: "explore"},
	"points":              {args: []string{"points"}, schema: "points"},
	"audit":               {args: []string{"audit", "--mode", "simulate"}, schema: "audit", gate: true},
}

// TestSchemas holds every JSON document against its schema.
func TestSchemas(t *testing.T) {
	for name, c := range jsonCommands {
		t.Run(name, func(t *testing.T) {
			if c.gate {
				forTheGate(t)
			}
			schematest.Check(t, c.schema, command(t, c.code, append(c.args, "--format", "json")...))
		})
	}
}

// TestSchemas_Baseline: a baseline and the report of a run that is held against it.
func TestSchemas_Baseline(t *testing.T) {
	file := filepath.Join(t.TempDir(), "baseline.json")
	args := []string{"check", "refund", "--strategy", "naive-retry", "--crashes", "1", "--mode", "simulate", "--format", "json", "--baseline", file}
	schematest.Check(t, "explorations", command(t, 0, append(args, "--update-baseline")...))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	schematest.Check(t, "baseline", text)
	schematest.Check(t, "explorations", command(t, 0, args...))
	// What a baseline knows is no failure, and what it does not know is one.
	if out := command(t, 0, append(args, "--format", "junit")...); !bytes.Contains(out, []byte("<skipped>the baseline knows double-write</skipped>")) || bytes.Contains(out, []byte("<failure")) {
		t.Errorf("a known violation:\n%s", out)
	}
	args[3] = "mark-first"
	if out := command(t, exitViolation, append(args, "--format", "junit")...); !bytes.Contains(out, []byte(`<failure type="lost-write"`)) {
		t.Errorf("a new violation:\n%s", out)
	}
}

// appender is a program that appends a line twice if it is killed between the line and its mark.
const appender = `[ -e done ] || echo charge >> charges.log; : > done`

// execArgs are the flags and the program of a small sweep, which finds a double write.
func execArgs(t *testing.T, more ...string) []string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("exec runs on Linux on amd64")
	}
	args := append([]string{"exec", "--quiet", "--dir", t.TempDir(), "--exactly-once", "charges.log"}, more...)
	return append(args, "--", "/bin/sh", "-c", appender)
}

func TestSchemas_Exec(t *testing.T) {
	schematest.Check(t, "exec", command(t, exitViolation, execArgs(t, "--format", "json")...))
	schematest.Check(t, "exec", command(t, exitViolation, execArgs(t, "--format", "json", "--power-loss")...))
}

// TestFormats: each command says which formats it has, and refuses the others in one line.
func TestFormats(t *testing.T) {
	for _, c := range (&program{out: cli.NewOutput(io.Discard)}).root().Commands() {
		var out, errOut bytes.Buffer
		if code := run(context.Background(), []string{c.Name(), "--format", "pdf"}, &out, &errOut); code != 2 || out.Len() > 0 {
			t.Errorf("%s: exit %d\n%s", c.Name(), code, out.String())
		}
		want := "unknown flag --format for paytwice " + c.Name()
		if f := c.Flag("format"); f != nil {
			want = `"pdf" is not one of ` + strings.ReplaceAll(f.Value.Type(), "|", ", ")
		}
		if wrong := oneLine(errOut.String(), regexp.QuoteMeta(want)); wrong != "" {
			t.Errorf("%s: %s", c.Name(), wrong)
		}
	}
}

// TestFormats_Documented: the document's table of commands and formats is what the commands take, and what is not
// in it takes no --format.
func TestFormats_Documented(t *testing.T) {
	text, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"text", "json", "markdown", "junit", "html", "svg", "annotations"}
	documented := map[string]string{}
	for _, line := range regexp.MustCompile("(?m)^\\| `[a-z]+` (\\| [^|]+ ){7}\\|$").FindAllString(string(text), -1) {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		has := []string{}
		for i, c := range cells[1:] {
			if c != "–" {
				has = append(has, columns[i])
			}
		}
		documented[strings.Trim(cells[0], "`")] = strings.Join(has, " ")
	}
	annotated := map[string]bool{"matrix": matrixForms.annotations != nil, "show": showForms.annotations != nil, "explore": exploreForms.annotations != nil, "check": checkForms.annotations != nil,
		"merge": formsOf("check").annotations != nil && formsOf("explore").annotations != nil, "replay": replayForms.annotations != nil, "audit": auditForms.annotations != nil, "exec": execForms.annotations != nil,
		"points": pointForms.annotations != nil}
	taken := map[string]string{}
	for _, c := range (&program{out: cli.NewOutput(io.Discard)}).root().Commands() {
		if f := c.Flag("format"); f != nil {
			taken[c.Name()] = strings.ReplaceAll(f.Value.Type(), "|", " ")
			if annotated[c.Name()] {
				taken[c.Name()] += " annotations"
			}
		} else if !bytes.Contains(text, []byte("`"+c.Name()+"`")) {
			t.Errorf("nothing is said of %s", c.Name())
		}
	}
	if diff := cmp.Diff(taken, documented); diff != "" {
		t.Errorf("(-taken +documented):\n%s", diff)
	}
	// A command that ends with a violation says so on GitHub, too.
	for _, name := range []string{"explore", "check", "merge", "replay", "audit", "exec"} {
		if !annotated[name] {
			t.Errorf("%s judges, and writes no annotations", name)
		}
	}
}

// TestAnnotations: in a step of GitHub's, and there alone, standard error has what was found as workflow
// commands; standard output stays the result.
func TestAnnotations(t *testing.T) {
	args := []string{"explore", "--strategy", "naive-retry", "--crashes", "1", "--quiet", "--format", "json"}
	said := func(value string, args []string, code int) (out, errOut string) {
		t.Setenv("GITHUB_ACTIONS", value)
		var o, e bytes.Buffer
		if got := run(context.Background(), args, &o, &e); got != code {
			t.Fatalf("%v: exit %d\n%s", args, got, e.String())
		}
		return o.String(), e.String()
	}
	plain, quiet := said("", args, exitViolation)
	if strings.Contains(quiet, "::error") {
		t.Errorf("outside GitHub: %s", quiet)
	}
	out, errOut := said("true", args, exitViolation)
	if out != plain {
		t.Error("the result differs on GitHub")
	}
	if !strings.HasPrefix(errOut, "::error title=double-write%3A refund · T-90104 · naive-retry · larkfield · simulated::") ||
		!strings.Contains(errOut, "%0Areplay: paytwice replay --strategy naive-retry 'kill payment.request_refund/during#1'\n") {
		t.Errorf("no error: %s", errOut)
	}
	for _, value := range []string{"false", "0"} {
		if _, errOut := said(value, args, exitViolation); strings.Contains(errOut, "::error") {
			t.Errorf("%s is no step of GitHub's: %s", value, errOut)
		}
	}
	if _, errOut := said("1", args, exitViolation); !strings.HasPrefix(errOut, "::error") {
		t.Errorf("where it is set, and not to true, there are none: %s", errOut)
	}
	if _, errOut := said("true", []string{"explore", "--max-runs", "1", "--quiet"}, exitUndecided); !strings.HasPrefix(errOut, "::warning title=undecided") {
		t.Errorf("no warning: %s", errOut)
	}
	if _, errOut := said("true", []string{"matrix", "--mode", "simulate", "--quiet"}, 0); strings.Contains(errOut, "::") {
		t.Errorf("a matrix that shows violations does its job: %s", errOut)
	}
	if _, errOut := said("true", []string{"replay", "--strategy", "naive-retry", "--quiet", "kill payment.request_refund/after#1"}, exitViolation); !strings.HasPrefix(errOut, "::error title=double-write") {
		t.Errorf("no error of a replay: %s", errOut)
	}
}

// TestReadme_Picture: the README's picture is what the command draws today.
func TestReadme_Picture(t *testing.T) {
	want, err := os.ReadFile("../../docs/map.svg")
	if err != nil {
		t.Fatal(err)
	}
	got := command(t, 0, "matrix", "--strategy", "all", "--provider", "all", "--mode", "simulate", "--quiet", "--format", "svg")
	if !bytes.Equal(got, want) {
		t.Error("docs/map.svg differs: write it again with paytwice matrix --strategy all --provider all --mode simulate --format svg -o docs/map.svg")
	}
}

// TestFault_Point: a point that nothing passes is an error of the report, too.
func TestFault_Point(t *testing.T) {
	out := command(t, exitHarness, "matrix", "--mode", "simulate", "--point", "payment.operation/after#1,after-write", "--format", "junit")
	if !bytes.Contains(out, []byte(`<testcase name="-/-/-/payment.operation/after#1" classname="refund">`)) || !bytes.Contains(out, []byte(`errors="1"`)) {
		t.Errorf("no error in\n%s", out)
	}
}

// TestFault: where the harness could not do its work, a JUnit report says so as an error, and the exit code
// stays.
func TestFault(t *testing.T) {
	file := t.TempDir() + "/report.xml"
	var out, errOut bytes.Buffer
	args := []string{"matrix", "--timeout", "1ns", "--format", "junit", "-o", file}
	if code := run(context.Background(), args, &out, &errOut); code != exitHarness {
		t.Fatalf("exit %d\n%s", code, errOut.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `<testsuite name="matrix" tests="1" failures="0" errors="1"`) || !strings.Contains(string(text), `<error type="harness" message="`) {
		t.Errorf("no error in\n%s", text)
	}
}
