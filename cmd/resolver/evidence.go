package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

// printEvidence prints one read and, in a few lines, what it showed.
func (p *program) printEvidence(e resolver.Evidence) {
	end := "ok"
	if !e.OK {
		end = e.Code
	}
	p.out.Printf("%s\n", cli.Wrap(agent.CleanLine(fmt.Sprintf("%s %s-> %s", e.Tool, argumentText(e.Arguments), end)), "  "))
	for _, line := range facts(e) {
		p.out.Printf("%s\n", cli.Wrap(agent.CleanLine(line), "    "))
	}
}

func argumentText(arguments json.RawMessage) string {
	var values map[string]string
	if json.Unmarshal(arguments, &values) != nil {
		return ""
	}
	for _, v := range values { // A read has one argument or none.
		return v + " "
	}
	return ""
}

// facts returns what a read showed; a result of an unknown form shows nothing.
func facts(e resolver.Evidence) []string {
	if !e.OK {
		return nil
	}
	switch e.Tool {
	case "get_order":
		var order resolver.Order
		if json.Unmarshal(e.Result, &order) == nil {
			return orderFacts(order)
		}
	case "get_customer_orders":
		var orders []resolver.Order
		if json.Unmarshal(e.Result, &orders) == nil {
			var lines []string
			for _, o := range orders {
				lines = append(lines, o.OrderID+": "+orderLine(o))
			}
			return lines
		}
	case "get_payments":
		var payments resolver.Payments
		if json.Unmarshal(e.Result, &payments) == nil {
			return paymentFacts(payments)
		}
	case "search_policy":
		var passages []resolver.Passage
		if json.Unmarshal(e.Result, &passages) == nil {
			var lines []string
			for _, p := range passages {
				lines = append(lines, p.ID+" "+p.Title)
			}
			return lines
		}
	}
	return nil
}

func orderLine(o resolver.Order) string {
	text := fmt.Sprintf("%s, total %s %s (shipping %s), ordered %s", o.Status, resolver.FormatCents(o.TotalCents), o.Currency,
		resolver.FormatCents(o.ShippingFeeCents), o.OrderedOn)
	if o.ShippedOn != "" {
		text += ", shipped " + o.ShippedOn
	}
	if o.DeliveredOn != "" {
		text += ", delivered " + o.DeliveredOn
	}
	return text
}

func orderFacts(o resolver.Order) []string {
	lines := []string{orderLine(o)}
	for _, i := range o.Items {
		lines = append(lines, fmt.Sprintf("%d x %s %s at %s, box %d, %d in stock", i.Quantity, i.SKU, i.Product,
			resolver.FormatCents(i.UnitPriceCents), i.Box, i.InStock))
	}
	for _, b := range o.Boxes {
		text := fmt.Sprintf("box %d %s", b.Box, b.Status)
		if b.LastScanOn != "" {
			text += ", last scan " + b.LastScanOn
		}
		lines = append(lines, text)
	}
	for _, kind := range []struct {
		name    string
		records []resolver.Record
	}{{"refund", o.Refunds}, {"return label", o.Labels}, {"reshipment", o.Reshipments}} {
		for _, r := range kind.records {
			lines = append(lines, recordFact(kind.name, r))
		}
	}
	return lines
}

func paymentFacts(p resolver.Payments) []string {
	var lines []string
	for _, r := range p.Payments {
		lines = append(lines, fmt.Sprintf("%s %s %s, %s, %s", r.PaymentID, r.Kind, resolver.FormatCents(r.AmountCents), r.Status, r.CreatedOn))
	}
	for _, r := range p.Refunds {
		lines = append(lines, recordFact("refund", r))
	}
	return lines
}

func recordFact(kind string, r resolver.Record) string {
	parts := []string{"earlier " + kind + " " + r.RecordID}
	if r.SKU != "" {
		parts = append(parts, r.SKU)
	}
	if r.AmountCents != 0 {
		parts = append(parts, resolver.FormatCents(r.AmountCents))
	}
	parts = append(parts, r.Reason, r.PaymentID, r.On)
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}
