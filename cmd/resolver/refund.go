package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/services"
)

type refundOptions struct {
	op, ticket string
	action     resolver.Action
}

func newRefund(p *program) *cobra.Command {
	var o refundOptions
	c := &cobra.Command{
		Use:   "refund --op ID --ticket T ORDER AMOUNT REASON [PAYMENT]",
		Short: "A colleague's own refund, outside any run",
		Example: `  resolver refund --op manual-1 --ticket phone-call LK-507862 119.00 RFD-DOUBLE PAY-507862-2
  resolver refund --op manual-2 --ticket phone-call LK-793996 9.95 RFD-LATE`,
		Args: cli.Between("ORDER", "AMOUNT", "REASON", "[PAYMENT]"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.op == "" || o.ticket == "" {
				return cli.WrongUse("%s needs --op ID and --ticket T", c.CommandPath())
			}
			cents, err := resolver.ParseCents(args[1])
			if err != nil {
				return cli.WrongUse("AMOUNT %w", err)
			}
			o.action = resolver.Action{Tool: resolver.RequestRefund, OrderID: args[0], AmountCents: cents, ReasonCode: args[2]}
			if len(args) == 4 {
				o.action.PaymentID = args[3]
			}
			if err := o.check(); err != nil {
				return err
			}
			return refund(c.Context(), p, o)
		},
	}
	c.Flags().StringVar(&o.op, "op", "", "the operation `id`: the same id again changes nothing more")
	c.Flags().StringVar(&o.ticket, "ticket", "", "what the refund belongs to, in free `text`")
	return c
}

// maxOpBytes bounds the texts that a colleague may give.
const maxOpBytes = 200

func (o refundOptions) check() error {
	if len(o.op) > maxOpBytes || len(o.ticket) > maxOpBytes {
		return cli.WrongUse("--op and --ticket have at most %d characters", maxOpBytes)
	}
	if err := o.action.Validate(); err != nil {
		return cli.WrongUse("%w", err)
	}
	return nil
}

func refund(ctx context.Context, p *program, o refundOptions) error {
	w, err := p.openWithWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	desk := w.world.Services(services.Caller{TicketID: o.ticket})
	c, err := desk.Payment.RequestRefund(ctx, resolver.WriteRequest{TicketID: o.ticket, Key: o.op, Action: o.action})
	var refused *resolver.RefusedError
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("refund refused: %w", err)
	case err != nil:
		return err
	}
	if c.Action != o.action {
		return fmt.Errorf("operation %s is %s already, for %s; nothing was changed: give another --op", o.op, c.RecordID, c.Action.Text())
	}
	verb := "made"
	if c.Repeated {
		verb = "made before, nothing was changed"
	}
	p.out.Printf("%s\n", agent.CleanLine(fmt.Sprintf("%s  %s  (operation %s): %s", c.RecordID, c.Action.Text(), c.OperationID, verb)))
	return nil
}
