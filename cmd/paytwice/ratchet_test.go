package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBaseline_Refused: what is no baseline to hold a run against, or to write, is said before anything runs.
func TestBaseline_Refused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"known.json": `{"schema":"paytwice.baseline/1","classes":[]}`,
		"twice.json": `{"schema":"paytwice.baseline/1","classes":[],"classes":[]}`,
		"upper.json": `{"schema":"paytwice.baseline/1","Classes":[]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	part := shardsOf(t, 1, "check", "batch", "--mode", "simulate", "--crashes", "1")[0]
	for line, says := range map[string]string{
		"--baseline twice.json":                               `"classes" is there twice`,
		"--baseline upper.json":                               `"Classes", to byte .* is no field's name`,
		"--baseline " + os.DevNull:                            "it is no plain file$",
		"--baseline folder":                                   "it is no plain file$",
		"--baseline known.json -o known.json":                 "--baseline and --output are both known.json",
		"--baseline known.json -o folder/../known.json":       "--baseline and --output are both",
		"--baseline new.json --update-baseline -o ./new.json": "--baseline and --output are both new.json",
	} {
		for _, command := range []string{"check batch --mode simulate --crashes 1 ", "merge " + part + " "} {
			r := runs(t, strings.Fields(command+line)...)
			if wrong := oneLine(r.Err, says); r.Code != 2 || wrong != "" || r.Out != "" {
				t.Errorf("%s%s: exit code %d, %s%s", command, line, r.Code, wrong, r.Out)
			}
		}
	}
	if files, err := filepath.Glob("*"); err != nil || len(files) != 4 {
		t.Errorf("%v, %v", files, err)
	}
}

// TestMerge_JUnit: a CI that finds no report may take it for one without failures, so one says what is missing.
func TestMerge_JUnit(t *testing.T) {
	part := shardsOf(t, 2, "check", "batch", "transfer", "--mode", "simulate", "--crashes", "1")[0]
	file := filepath.Join(t.TempDir(), "check.xml")
	r := runs(t, "merge", "--format", "junit", "-o", file, part)
	if wrong := oneLine(r.Err, "no report of shard 2/2$"); r.Code != exitHarness || wrong != "" {
		t.Errorf("exit code %d, %s", r.Code, wrong)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "<error") || !strings.Contains(string(text), "no report of shard 2/2") {
		t.Errorf("%v: %s", err, text)
	}
}
