package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// optionalValue is what pflag adds to each switch: true of all of them, and of use to nobody.
const optionalValue = "[=true|false]"

// fitHelp makes the help of a program fit LineWidth, and leaves out what every line would say.
func fitHelp(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages ", fmt.Sprintf("Flags.FlagUsagesWrapped %d ", LineWidth)))
	show := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		out := c.OutOrStdout()
		var help bytes.Buffer
		c.SetOut(&help)
		show(c, args)
		c.SetOut(out)
		// As many blanks, so that the columns stay in line.
		fmt.Fprint(out, strings.ReplaceAll(help.String(), optionalValue, strings.Repeat(" ", len(optionalValue))))
	})
}
