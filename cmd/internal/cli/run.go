package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/paytwice/paytwice/resolver/agent"
)

// Run executes a program and returns its exit code. Results go to out, everything else to errOut. Wrong use
// gives ExitUsage; code says what any other error gives. A result that could not be written is an error too.
// A *PanicError is among what code is asked.
func Run(ctx context.Context, root *cobra.Command, args []string, out *Output, errOut io.Writer, code func(error) int) int {
	prepare(root)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := execute(ctx, root)
	if err == nil {
		err = out.Err()
	}
	if err == nil {
		return ExitOK
	}
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = "interrupted"
	}
	// Most error texts quote something that somebody typed or a file says.
	fmt.Fprintf(errOut, "%s: %s\n", root.Name(), agent.Clean(text))
	if IsWrongUse(err) {
		return ExitUsage
	}
	return code(err)
}

func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return root.ExecuteContext(ctx)
}

// prepare gives a command and all below it this module's manners in place of cobra's own: errors are
// returned, not printed, and a mistyped name is answered with the nearest one.
func prepare(root *cobra.Command) {
	root.CompletionOptions.DisableDefaultCmd = true
	root.Version = Version()
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	fitHelp(root)
	if root.HasSubCommands() {
		root.AddCommand(newCompletion(root), newMan(root))
		root.SetHelpCommand(newHelp(root))
		root.InitDefaultHelpCmd()
	}
	walk(root, func(c *cobra.Command) {
		c.SilenceErrors, c.SilenceUsage = true, true
		c.DisableFlagsInUseLine = true
		c.SetFlagErrorFunc(flagError)
		completeChoices(c)
		if c.Args == nil && c.HasSubCommands() {
			c.Args = unknownCommand
		}
		if c.RunE == nil && c.HasSubCommands() {
			c.RunE = func(c *cobra.Command, _ []string) error {
				return WrongUse("%s needs a command; see %s --help", c.CommandPath(), c.CommandPath())
			}
		}
	})
}

func walk(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		walk(sub, do)
	}
}

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Shows what a command does",
		Example: fmt.Sprintf("  %s help %s", root.Name(), root.Commands()[0].Name()),
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil {
				return &UsageError{err}
			}
			if len(rest) > 0 {
				return unknownCommand(c, rest)
			}
			c.InitDefaultHelpFlag() // So that it shows what --help shows.
			return c.Help()
		},
	}
}

func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			names = append(names, sub.Name())
		}
	}
	return WrongUse("unknown command %q for %s%s", args[0], c.CommandPath(), DidYouMean(args[0], names))
}

// flagError returns a flag's error as wrong use, with the nearest flag for an unknown one.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return WrongUse("%w; see %s --help", err, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	name := "--" + unknown.GetSpecifiedName()
	return WrongUse("unknown flag %s for %s%s", name, c.CommandPath(), DidYouMean(name, names))
}
