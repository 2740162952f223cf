package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

type showOptions struct {
	ticket   string
	expected bool
}

func newShow(p *program) *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:     "show TICKET [--expected]",
		Short:   "Shows one ticket",
		Example: "  resolver show T-90104 --expected",
		Args:    cli.Exactly("TICKET"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.ticket = args[0]
			return show(p, o)
		},
	}
	c.Flags().BoolVar(&o.expected, "expected", false, "also how the ticket should end")
	return c
}

func show(p *program, o showOptions) error {
	course, err := p.course()
	if err != nil {
		return err
	}
	t, err := knownTicket(course, o.ticket)
	if err != nil {
		return err
	}
	p.field("Ticket", t.ID)
	p.field("Customer", t.CustomerID)
	p.field("Slice", t.Slice)
	p.field("Attachments", strings.Join(t.Attachments, ", "))
	for _, f := range t.Faults {
		p.field("Fault", f.String())
	}
	p.out.Printf("\n%s\n", cli.Wrap(agent.Clean(orNone(t.Text)), "  "))
	if o.expected {
		showExpected(p, t)
	}
	return nil
}

func showExpected(p *program, t larkfield.Task) {
	p.out.Printf("\n")
	p.field("Expected", fmt.Sprintf("%s (rule %s)", t.Expected.Outcome, t.Expected.Rule))
	for _, a := range t.Expected.Actions {
		p.field("Action", a.Text())
	}
	p.field("Note", t.Expected.Note)
	for _, outcome := range t.AcceptableOutcomes {
		p.field("Accepted too", string(outcome))
	}
	for _, f := range t.Forbidden {
		p.field("Forbidden", forbiddenText(f))
	}
	for _, expression := range t.MustNotSay {
		p.field("Must not say", expression)
	}
}

func forbiddenText(f larkfield.Forbidden) string {
	parts := []string{string(f.Tool), f.OrderID}
	if f.AmountCents != 0 {
		parts = append(parts, resolver.FormatCents(f.AmountCents))
	}
	if f.Quantity != 0 {
		parts = append(parts, fmt.Sprintf("x %d", f.Quantity))
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// field prints one named value, on lines that line up.
func (p *program) field(name, value string) {
	text := cli.Wrap(agent.CleanLine(orNone(value)), strings.Repeat(" ", 14))
	p.out.Printf("%-13s %s\n", name+":", strings.TrimLeft(text, " "))
}

func orNone(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(none)"
	}
	return text
}
