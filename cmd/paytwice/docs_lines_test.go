package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// commandLine is one use of the command in a job or a script: up to what a shell does with it.
var commandLine = regexp.MustCompile(`(?:^|\s)paytwice ([a-z][^|&>#\n]*)`)

// linesOf returns the command lines in the blocks of a document that nobody runs: jobs and scripts.
func linesOf(text string) []string {
	var out []string
	inside := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			inside = line == "```yaml" || line == "```sh"
			continue
		}
		if !inside || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, m := range commandLine.FindAllStringSubmatch(line, -1) {
			out = append(out, strings.TrimSpace(m[1]))
		}
	}
	return out
}

// unknownIn returns what a command line names that there is not.
func unknownIn(root *cobra.Command, line string) error {
	words := strings.Fields(line)
	c, _, err := root.Find(words)
	if err != nil || c == root {
		return fmt.Errorf("no command: %v", err)
	}
	for _, w := range words[1:] {
		if w == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
		long := strings.HasPrefix(w, "--") && c.Flags().Lookup(name) == nil
		short := len(w) > 1 && w[0] == '-' && w[1] != '-' && c.Flags().ShorthandLookup(w[1:2]) == nil
		if long || short {
			return fmt.Errorf("%s has no flag %s", c.Name(), w)
		}
	}
	return nil
}

// TestDocs_Lines: the jobs and scripts of the documents use commands and flags that there are.
func TestDocs_Lines(t *testing.T) {
	root := (&program{errOut: &bytes.Buffer{}}).root()
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range append(documents, "../../README.md") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range linesOf(string(data)) {
			seen++
			if err := unknownIn(root, line); err != nil {
				t.Errorf("%s: paytwice %s: %v", filepath.Base(path), line, err)
			}
		}
	}
	if seen < 12 {
		t.Errorf("%d lines: is everything read?", seen)
	}
	for line, wrong := range map[string]bool{"check --baseline x": false, "check --bassline x": true, "chek": true, "matrix -o x": false, "matrix -x": true, "exec --dir x -- sh --login": false} {
		if err := unknownIn(root, line); (err != nil) != wrong {
			t.Errorf("%s: %v", line, err)
		}
	}
}
