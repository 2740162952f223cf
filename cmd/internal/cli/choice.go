package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Choice is a flag that takes one of a few values. It is empty until it is set, unless it has a default.
type Choice struct {
	Value   string
	Allowed []string
}

var _ pflag.Value = (*Choice)(nil)

// String implements pflag.Value.
func (c *Choice) String() string { return c.Value }

// Set implements pflag.Value.
func (c *Choice) Set(text string) error {
	if !slices.Contains(c.Allowed, text) {
		return fmt.Errorf("%q is not one of %s%s", text, strings.Join(c.Allowed, ", "), meant(text, c.Allowed))
	}
	c.Value = text
	return nil
}

func meant(text string, names []string) string {
	if near := Nearest(text, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// Type implements pflag.Value; help shows it.
func (c *Choice) Type() string { return strings.Join(c.Allowed, "|") }
