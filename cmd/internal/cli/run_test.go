package cli_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

// program returns a program with one command that does something, and one that has commands of its own.
func program(do func(*cobra.Command, []string) error) *cobra.Command {
	if do == nil {
		do = func(*cobra.Command, []string) error { return nil }
	}
	root := &cobra.Command{Use: "tool", Short: "A tool"}
	leaf := &cobra.Command{Use: "leaf [NAME]", Short: "A leaf", Example: "  tool leaf x", Args: cli.Between("[NAME]"), RunE: do}
	leaf.Flags().Int("size", 1, "a size")
	group := &cobra.Command{Use: "group", Short: "A group"}
	group.AddCommand(&cobra.Command{Use: "inner", Short: "An inner one", Args: cli.NoArguments, RunE: do})
	root.AddCommand(leaf, group)
	return root
}

func TestRun_ExitCodes(t *testing.T) {
	const refused = 7
	broken := errors.New("broken\x1b[2J")
	for name, c := range map[string]struct {
		args   string
		do     func(*cobra.Command, []string) error
		code   int
		stderr string
	}{
		"well":              {"leaf", func(*cobra.Command, []string) error { return nil }, 0, ""},
		"an error":          {"leaf", func(*cobra.Command, []string) error { return broken }, refused, `tool: broken\x1b[2J` + "\n"},
		"wrong use inside":  {"leaf", func(*cobra.Command, []string) error { return cli.WrongUse("no %s", "such") }, 2, "tool: no such\n"},
		"a panic":           {"leaf", func(*cobra.Command, []string) error { panic("oh") }, refused, "tool: internal error, please report it: oh\n"},
		"unknown command":   {"laef", nil, 2, `tool: unknown command "laef" for tool; did you mean "leaf"?` + "\n"},
		"unknown inner":     {"group iner", nil, 2, `tool: unknown command "iner" for tool group; did you mean "inner"?` + "\n"},
		"no command":        {"", nil, 2, "tool: tool needs a command; see tool --help\n"},
		"no inner command":  {"group", nil, 2, "tool: tool group needs a command; see tool group --help\n"},
		"unknown flag":      {"leaf --sise 2", nil, 2, `tool: unknown flag --sise for tool leaf; did you mean "--size"?` + "\n"},
		"unknown shorthand": {"leaf -x", nil, 2, "tool: unknown shorthand flag: 'x' in -x; see tool leaf --help\n"},
		"a bad value":       {"leaf --size big", nil, 2, "tool: invalid argument \"big\" for \"--size\" flag: "},
		"one too many":      {"leaf a b", nil, 2, `tool: tool leaf: "b" is one argument too many; see tool leaf --help` + "\n"},
		"help of none":      {"help laef", nil, 2, `tool: unknown command "laef" for tool; did you mean "leaf"?` + "\n"},
		"help":              {"help leaf", nil, 0, ""},
		"help of a group":   {"group --help", nil, 0, ""},
		"flags end":         {"leaf -- --size", func(_ *cobra.Command, a []string) error { return errors.New(strings.Join(a, "+")) }, refused, "tool: --size\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			code := cli.Run(t.Context(), program(c.do), strings.Fields(c.args), cli.NewOutput(&out), &errOut, func(error) int { return refused })
			if code != c.code || !strings.HasPrefix(errOut.String(), c.stderr) || c.stderr == "" && errOut.Len() > 0 {
				t.Errorf("exit %d, %q, want %d, %q", code, errOut.String(), c.code, c.stderr)
			}
			if code == 2 && out.Len() > 0 {
				t.Errorf("wrong use has a result: %q", out.String())
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRun_AResultThatIsLost(t *testing.T) {
	out := cli.NewOutput(fullDisk{})
	var errOut bytes.Buffer
	do := func(c *cobra.Command, _ []string) error { out.Printf("a result\n"); return nil }
	code := cli.Run(t.Context(), program(do), []string{"leaf"}, out, &errOut, func(error) int { return 7 })
	if want := "tool: the result could not be written: no space left\n"; code != 7 || errOut.String() != want {
		t.Errorf("exit %d, %q, want 7, %q", code, errOut.String(), want)
	}
}

// TestRun_Shared: what every program has beside its own commands.
func TestRun_Shared(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		"--version":              "tool " + cli.Version() + "\n",
		"completion fish":        "complete -c tool",
		"__complete leaf --si":   "--size\ta size\n",
		"__complete group ":      "inner\tAn inner one\n",
		"__complete completion ": "bash\nzsh\nfish\npowershell\n",
		"man " + dir:             "",
		"__complete help":        "help\tShows what a command does\n",
		"completion powershell":  "Register-ArgumentCompleter",
	} {
		var out, errOut bytes.Buffer
		code := cli.Run(t.Context(), program(nil), strings.Split(args, " "), cli.NewOutput(&out), &errOut, func(error) int { return 7 })
		if code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit %d, %.300q, want %q\n%s", args, code, out.String(), want, errOut.String())
		}
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) != 6 {
		t.Errorf("%v, %v, want the pages of tool, completion, group, group inner, help and leaf", pages, err)
	}
}
