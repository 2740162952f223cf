package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

// faultFlags is the repeated flag --fault.
type faultFlags []services.Fault

func (f *faultFlags) String() string {
	names := make([]string, len(*f))
	for i, fault := range *f {
		names[i] = fault.String()
	}
	return strings.Join(names, ",")
}

func (f *faultFlags) Set(text string) error {
	fault, err := services.ParseFault(text)
	if err == nil {
		*f = append(*f, fault)
	}
	return err
}

func (f *faultFlags) Type() string { return "TOOL:MODE[:TIMES]" }

func addFaultFlag(c *cobra.Command, f *faultFlags) {
	c.Flags().Var(f, "fault", "a practice fault beside the ticket's own; repeatable")
}

func roleFlag(c *cobra.Command, role *cli.Choice) {
	for _, r := range resolver.Roles() {
		role.Allowed = append(role.Allowed, string(r))
	}
	c.Flags().Var(role, "as", "who decides")
}

// needRole reports a missing --as.
func needRole(c *cobra.Command, role cli.Choice) error {
	if role.Value == "" {
		return cli.WrongUse("%s needs --as %s", c.CommandPath(), role.Type())
	}
	return nil
}

func formatFlag(c *cobra.Command, format *cli.Choice) {
	*format = cli.Choice{Value: "text", Allowed: []string{"text", "json"}}
	c.Flags().Var(format, "format", "how to print")
}

// stepFlag is --interrupt after-step-N; 0 means no stop.
type stepFlag int

func (s *stepFlag) String() string {
	if *s == 0 {
		return ""
	}
	return "after-step-" + strconv.Itoa(int(*s))
}

func (s *stepFlag) Set(text string) error {
	number, ok := strings.CutPrefix(text, "after-step-")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != number {
		return fmt.Errorf("%q is not after-step-N, for example after-step-1", text)
	}
	*s = stepFlag(n)
	return nil
}

func (s *stepFlag) Type() string { return "after-step-N" }

var dayAge = regexp.MustCompile(`^([0-9]{1,6})d$`)

// ageFlag is a duration that may be given in days, such as 30d.
type ageFlag struct {
	age time.Duration
	set bool
}

func (a *ageFlag) String() string {
	if !a.set {
		return ""
	}
	return a.age.String()
}

func (a *ageFlag) Set(text string) error {
	if m := dayAge.FindStringSubmatch(text); m != nil {
		days, err := strconv.Atoi(m[1])
		if err != nil || days > 100_000 {
			return fmt.Errorf("%q is too long", text)
		}
		a.age, a.set = time.Duration(days)*24*time.Hour, true
		return nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return fmt.Errorf("%q is not an age such as 30d or 12h", text)
	}
	a.age, a.set = age, true
	return nil
}

func (a *ageFlag) Type() string { return "AGE" }
