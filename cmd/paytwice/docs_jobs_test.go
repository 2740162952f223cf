package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer/child"
)

// blocks returns the blocks of a language in a document.
func blocks(t *testing.T, document, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs", document))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// GitHub runs a step by bash -e. A gate that ends with a violation must still leave its summary, and end the step with
// its code.
func TestDocs_SummaryOfAViolation(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	seen := 0
	for _, script := range blocks(t, "reports.md", "sh") {
		if !strings.Contains(script, "GITHUB_STEP_SUMMARY") {
			continue
		}
		seen++
		dir := t.TempDir()
		// What stands for the command finds a violation and writes it to the file after -o.
		gate := "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho a violation > \"$2\"\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, "paytwice"), []byte(gate), 0o755); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(bash, "-e", "-c", script)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "step"))
		out, err := c.CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exitViolation {
			t.Errorf("the step ends with %v\n%s", err, out)
		}
		if summary, err := os.ReadFile(filepath.Join(dir, "step")); err != nil || string(summary) != "a violation\n" {
			t.Errorf("its summary is %q: %v", summary, err)
		}
	}
	if seen != 1 {
		t.Errorf("%d scripts write a summary", seen)
	}
}

// A job whose verdict is held against a baseline shows the same in each of its reports: what is known is no failure.
func TestDocs_BaselineInEveryReport(t *testing.T) {
	seen := 0
	for _, job := range blocks(t, "ci.md", "yaml") {
		if !strings.Contains(job, "--baseline") {
			continue
		}
		for _, line := range regexp.MustCompile(`paytwice merge [^\n]*`).FindAllString(job, -1) {
			seen++
			if !strings.Contains(line, " --baseline known.json") {
				t.Errorf("without the job's baseline: %s", line)
			}
		}
	}
	if seen < 5 {
		t.Errorf("%d lines: is everything read?", seen)
	}
}

// The steps for a program of one's own work where they say they do: beside a clone, with the module not published.
func TestDocs_JobOfAnotherProgram(t *testing.T) {
	forTheGate(t)
	interpreter(t, "python3")
	bash, err := exec.LookPath("bash")
	if err != nil || !child.Supported {
		t.Skip("needs bash and real kills")
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(root, filepath.Join(dir, "paytwice")), os.Mkdir(filepath.Join(dir, "shop"), 0o755)); err != nil {
		t.Fatal(err)
	}
	writeShown(t, "../../docs/exec.md", filepath.Join(dir, "shop"))
	var steps []string
	for _, job := range blocks(t, "ci.md", "yaml") {
		if strings.Contains(job, "paytwice exec") {
			for _, m := range regexp.MustCompile(`(?m)^ *- run: (.*)$`).FindAllStringSubmatch(job, -1) {
				steps = append(steps, m[1])
			}
		}
	}
	if len(steps) != 2 {
		t.Fatalf("steps: %q", steps)
	}
	for i, code := range []int{0, exitViolation} {
		c := exec.Command(bash, "-e", "-c", steps[i])
		c.Dir = dir
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GITHUB_PATH="+filepath.Join(dir, "path"), "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); c.ProcessState.ExitCode() != code {
			t.Fatalf("%s: %v\n%s", steps[i], err, out)
		}
	}
	if report, err := os.ReadFile(filepath.Join(dir, "exec.xml")); err != nil || !strings.Contains(string(report), `<failure type="double-write"`) {
		t.Errorf("%v\n%s", err, report)
	}
}
