package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan returns the command that writes the man pages. Packagers run it, not people, so help leaves it out.
func newMan(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Writes the man pages into a folder",
		Example: fmt.Sprintf("  %s man share/man/man1", root.Name()),
		Hidden:  true,
		Args:    Exactly("FOLDER"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return WrongUse("%w", err)
			}
			return writeMan(root, args[0])
		},
	}
}

// writeMan writes the page of a command and of each below it. The pages are the same on every day.
func writeMan(c *cobra.Command, dir string) error {
	if c.Hidden {
		return nil
	}
	page, err := manPage(c)
	if err != nil {
		return err
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if err := writeMan(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

func manPage(c *cobra.Command) ([]byte, error) {
	c.InitDefaultHelpFlag()
	if c.HasParent() {
		c.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true}) // The root's is enough.
	}
	c.DisableAutoGenTag = true
	var never time.Time // A page must not differ from one day to the next.
	var out bytes.Buffer
	err := doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: c.Root().Name(), Manual: c.Root().Name() + " manual", Date: &never}, &out)
	return bytes.Replace(out.Bytes(), []byte(never.Format(`"Jan 2006"`)), []byte(`""`), 1), err
}
