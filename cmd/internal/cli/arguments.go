package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// NoArguments refuses every argument.
func NoArguments(c *cobra.Command, args []string) error {
	return Between()(c, args)
}

// Exactly wants one argument for each name.
func Exactly(names ...string) cobra.PositionalArgs { return Between(names...) }

// Between wants one argument for each name; a name in square brackets may be left out, from the last on.
func Between(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > len(names) {
			return WrongUse("%s: %q is one argument too many; see %s --help", c.CommandPath(), args[len(names)], c.CommandPath())
		}
		if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
			return WrongUse("%s needs %s; see %s --help", c.CommandPath(), names[len(args)], c.CommandPath())
		}
		return nil
	}
}
