package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

// TestHelp_Width: no line of help is wider than the terminal that the reports are written for. An example is one
// line, whatever its length, to be copied.
func TestHelp_Width(t *testing.T) {
	root := (&program{errOut: &bytes.Buffer{}}).root()
	seen := 0
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			look(sub)
		}
		help := runs(t, append(strings.Fields(c.CommandPath())[1:], "--help")...).Out
		before, rest, _ := strings.Cut(help, "\nExamples:\n")
		_, after, _ := strings.Cut(rest, "\n\n")
		for _, line := range strings.Split(before+"\n"+after, "\n") {
			seen++
			if n := utf8.RuneCountInString(line); n > cli.LineWidth || strings.Contains(line, "=true|false") {
				t.Errorf("%s, %d columns: %s", c.CommandPath(), n, line)
			}
		}
	}
	look(root)
	if seen < 200 {
		t.Errorf("%d lines: is everything read?", seen)
	}
}
