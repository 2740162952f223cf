package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

// commands returns every command, with its path as it is typed.
func commands(c *cobra.Command, path ...string) map[string]*cobra.Command {
	all := map[string]*cobra.Command{strings.Join(path, " "): c}
	for _, sub := range c.Commands() {
		for p, s := range commands(sub, append(path, sub.Name())...) {
			all[p] = s
		}
	}
	return all
}

// TestHelp_EverySubcommand asks every command for its help: an example that names it, within the width.
func TestHelp_EverySubcommand(t *testing.T) {
	all := commands(newRoot(&program{out: cli.NewOutput(&bytes.Buffer{})}))
	if len(all) != 16 {
		t.Errorf("%d commands, want the root and 15", len(all))
	}
	for path := range all {
		var out, errOut bytes.Buffer
		args := append(strings.Fields(path), "--help")
		if code := run(t.Context(), args, &out, &errOut, func(string) string { return "" }); code != 0 || errOut.Len() > 0 {
			t.Errorf("resolver %s: exit %d, %s", strings.Join(args, " "), code, errOut.String())
		}
		_, examples, ok := strings.Cut(out.String(), "\nExamples:\n")
		if !ok || !strings.HasPrefix(examples, strings.TrimRight("  resolver "+path, " ")) {
			t.Errorf("resolver %s: no example of its own:\n%s", strings.Join(args, " "), out.String())
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("resolver %s: a line of %d characters: %s", strings.Join(args, " "), len(line), line)
			}
		}
	}
}
