package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

type changesOptions struct{ format cli.Choice }

func newChanges(p *program) *cobra.Command {
	var o changesOptions
	c := &cobra.Command{
		Use:     "changes",
		Short:   "Lists the changes made in the practice database since the reset",
		Example: "  resolver changes\n  resolver changes --format json",
		Args:    cli.NoArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return changes(c.Context(), p, o) },
	}
	formatFlag(c, &o.format)
	return c
}

func changes(ctx context.Context, p *program, o changesOptions) error {
	w, err := p.openWithWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	list, err := w.world.Changes(ctx)
	if err != nil {
		return err
	}
	if o.format.Value == "json" {
		lines := make([]changeJSON, len(list))
		for i, c := range list {
			lines[i] = newChangeJSON(c)
		}
		return p.printJSON(struct {
			Changes []changeJSON `json:"changes"`
		}{lines})
	}
	for _, c := range list {
		p.out.Printf("%s\n", changeText(c))
	}
	p.out.Printf("%d change(s) in the practice database\n", len(list))
	return nil
}

// changeText is one change on one line; its time is local, without the offset.
func changeText(c resolver.Change) string {
	a := c.Action
	what := fmt.Sprintf("%s %s %s", resolver.FormatCents(a.AmountCents), a.ReasonCode, a.PaymentID)
	switch a.Tool {
	case resolver.ReshipItem:
		what = fmt.Sprintf("%s x %d", a.SKU, a.Quantity)
	case resolver.CreateReturnLabel:
		what = fmt.Sprintf("%s reason %s", a.SKU, a.Reason)
	}
	return agent.CleanLine(fmt.Sprintf("%s  %s  %-20s %s  %s  (operation %s)", c.At.Local().Format("2006-01-02T15:04:05"),
		c.TicketID, a.Tool, a.OrderID, strings.TrimRight(what, " "), c.OperationID))
}

// changeJSON is one change in the JSON document; fields that a change doesn't have are left out.
type changeJSON struct {
	At          string        `json:"at"`
	Ticket      string        `json:"ticket"`
	Tool        resolver.Tool `json:"tool"`
	OrderID     string        `json:"order_id"`
	OperationID string        `json:"operation_id"`
	AmountCents int64         `json:"amount_cents,omitempty"`
	Currency    string        `json:"currency,omitempty"`
	ReasonCode  string        `json:"reason_code,omitempty"`
	PaymentID   string        `json:"payment_id,omitempty"`
	SKU         string        `json:"sku,omitempty"`
	Quantity    int           `json:"quantity,omitempty"`
	Reason      string        `json:"reason,omitempty"`
	RecordID    string        `json:"record_id"`
}

func newChangeJSON(c resolver.Change) changeJSON {
	a := c.Action
	return changeJSON{
		At: c.At.Local().Format(time.RFC3339Nano), Ticket: c.TicketID, Tool: a.Tool, OrderID: a.OrderID, OperationID: c.OperationID,
		AmountCents: a.AmountCents, Currency: c.Currency, ReasonCode: a.ReasonCode, PaymentID: a.PaymentID,
		SKU: a.SKU, Quantity: a.Quantity, Reason: a.Reason, RecordID: c.RecordID,
	}
}
