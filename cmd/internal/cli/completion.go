package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shells are those that cobra writes completions for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(root *cobra.Command) *cobra.Command {
	name := root.Name()
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells, "|"),
		Short: "Prints the completion of a shell",
		Long:  "Prints a script that makes a shell complete commands, flags and their values.",
		Example: fmt.Sprintf("  source <(%[1]s completion bash)\n  %[1]s completion zsh > \"${fpath[1]}/_%[1]s\"\n"+
			"  %[1]s completion fish > ~/.config/fish/completions/%[1]s.fish", name),
		ValidArgs: shells,
		Args:      Exactly("a shell: " + strings.Join(shells, ", ")),
		RunE: func(c *cobra.Command, args []string) error {
			switch out := c.OutOrStdout(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return WrongUse("%q is no shell with a completion%s", args[0], DidYouMean(args[0], shells))
		},
	}
}

// completeChoices has every flag of few values completed with them.
func completeChoices(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if choice, ok := f.Value.(*Choice); ok {
			CompleteFlag(c, f.Name, func() []string { return choice.Allowed })
		}
	})
}

// CompleteFlag has a flag completed with names. Where a flag takes a list, the last name is completed.
func CompleteFlag(c *cobra.Command, flag string, names func() []string) {
	complete := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before, last := "", typed
		if i := strings.LastIndexByte(typed, ','); i >= 0 {
			before, last = typed[:i+1], typed[i+1:]
		}
		return beginning(before, last, names()), cobra.ShellCompDirectiveNoFileComp
	}
	if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // A flag that there is not, or that is completed already.
	}
}

// CompleteArguments has a command's arguments completed with names, at most so many of them.
func CompleteArguments(c *cobra.Command, most int, names func() []string) {
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		left := slices.DeleteFunc(slices.Clone(names()), func(n string) bool { return slices.Contains(args, n) })
		return beginning("", typed, left), cobra.ShellCompDirectiveNoFileComp
	}
}

// beginning returns the names that begin with what was typed, each after what stands before it.
func beginning(before, typed string, names []string) []string {
	var out []string
	for _, n := range names {
		if strings.HasPrefix(n, typed) {
			out = append(out, before+n)
		}
	}
	return out
}
