package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocs runs every command in a console block of the documents and compares what it prints: lines in
// order, "..." for lines left out, "…" for a part that differs from run to run. The commands of one
// document share a folder, in order.
func TestDocs(t *testing.T) {
	forTheGate(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/paytwice", "./cmd/resolver")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(documents) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, path := range append(documents, filepath.Join(root, "README.md")) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, c := range consoleCommands(t, path) {
				c.check(t, dir, bin)
			}
		})
	}
}

// documented is one command of a document with the lines that it must print.
type documented struct {
	line    int
	command string
	want    []string
}

func consoleCommands(t *testing.T, path string) []documented {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []documented
	inside := false
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case strings.HasPrefix(line, "$ "):
			out = append(out, documented{line: n, command: line[2:]})
		case len(out) == 0:
			t.Fatalf("%s:%d: output before the first command", path, n)
		default:
			out[len(out)-1].want = append(out[len(out)-1].want, line)
		}
	}
	return out
}

func (d documented) check(t *testing.T, dir, bin string) {
	t.Helper()
	command := strings.Replace(d.command, "go run ./cmd/", "", 1)
	c := exec.Command("sh", "-c", command)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "RESOLVER_DIR=")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if code := c.ProcessState.ExitCode(); err != nil && code != exitViolation {
		t.Errorf("line %d: %s: exit %d\n%s", d.line, d.command, code, stderr.String())
	}
	var got []string
	if len(out) > 0 {
		got = strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	}
	at, gap := 0, false
	for _, want := range d.want {
		if want == "..." {
			gap = true
			continue
		}
		found := at
		for gap && found < len(got) && !matches(want, got[found]) {
			found++
		}
		if found >= len(got) || !matches(want, got[found]) {
			t.Errorf("line %d: %s\nnot printed where it should be: %s\nprinted:\n%s", d.line, d.command, want, out)
			return
		}
		at, gap = found+1, false
	}
	if !gap && at < len(got) {
		t.Errorf("line %d: %s prints more: %s", d.line, d.command, got[at])
	}
}

func matches(want, got string) bool {
	parts := strings.Split(strings.TrimRight(want, " "), "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(strings.TrimRight(got, " "))
}
