package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/paytwice/paytwice/resolver"
)

// ParseResolution returns the proposal that a model's resolution asks for, a JSON object with outcome,
// rule, actions, reply and reason. An action has every field, unused ones null.
//
// Units: an amount is dollars with at most two decimals; its text is converted, never a floating number.
// Errors: say what is wrong and where, in words that can be shown to the model: anything that is missing,
// extra, of another type, too long or no action that a service could carry out; two identical actions.
func ParseResolution(ticketID string, data []byte) (*resolver.Proposal, error) {
	o, err := parseObject(data)
	if err != nil {
		return nil, err
	}
	return parseResolution(ticketID, o)
}

func parseResolution(ticketID string, o object) (*resolver.Proposal, error) {
	if err := o.exactly("outcome", "rule", "actions", "reply", "reason"); err != nil {
		return nil, err
	}
	var outcome, rule, reply, reason string
	for _, field := range []struct {
		name  string
		most  int
		lines bool
		into  *string
	}{
		{"outcome", maxRule, false, &outcome},
		{"rule", maxRule, false, &rule},
		{"reply", maxReply, true, &reply},
		{"reason", maxReason, true, &reason},
	} {
		raw, _ := o.get(field.name)
		value, err := text(raw)
		if err != nil {
			return nil, fmt.Errorf("%s is %w", field.name, err)
		}
		if err := checkText(field.name, value, field.most, field.lines); err != nil {
			return nil, err
		}
		*field.into = value
	}
	switch resolver.Outcome(outcome) {
	case resolver.Resolve, resolver.ReplyOnly, resolver.AskCustomer, resolver.HandToPerson:
	default:
		return nil, fmt.Errorf("there is no outcome %q", outcome)
	}
	actions, err := parseActions(o)
	if err != nil {
		return nil, err
	}
	return resolver.NewProposal(ticketID, resolver.Outcome(outcome), rule, actions, reply, reason)
}

func parseActions(o object) ([]resolver.Action, error) {
	raw, _ := o.get("actions")
	items, err := elements(raw)
	if err != nil {
		return nil, fmt.Errorf("actions is %w", err)
	}
	if len(items) > resolver.MaxActions {
		return nil, fmt.Errorf("%d actions, more than %d", len(items), resolver.MaxActions)
	}
	actions := make([]resolver.Action, 0, len(items))
	for i, item := range items {
		fields, err := parseObject(item)
		if err != nil {
			return nil, fmt.Errorf("action %d: %w", i+1, err)
		}
		a, err := parseAction(fields)
		if err != nil {
			return nil, fmt.Errorf("action %d: %w", i+1, err)
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// parseAction turns an action as the model writes it into the one that is kept: the reason of a refund is
// its code. What belongs to another tool stays in place, for Validate to refuse.
func parseAction(o object) (resolver.Action, error) {
	if err := o.exactly("tool", "order_id", "sku", "quantity", "amount", "reason", "payment_id"); err != nil {
		return resolver.Action{}, err
	}
	var a resolver.Action
	var tool, reason string
	// A list, not a map: of several wrong fields the same one is named every time.
	for _, field := range []struct {
		name string
		into *string
	}{
		{"tool", &tool}, {"order_id", &a.OrderID}, {"sku", &a.SKU}, {"reason", &reason}, {"payment_id", &a.PaymentID},
	} {
		raw, _ := o.get(field.name)
		if isNull(raw) {
			continue
		}
		value, err := text(raw)
		if err != nil || !resolver.IsName(value) {
			return resolver.Action{}, fmt.Errorf("%s is not a name of up to 40 letters, digits, points and dashes", field.name)
		}
		*field.into = value
	}
	a.Tool = resolver.Tool(tool)
	if a.Tool == resolver.RequestRefund {
		a.ReasonCode = reason
	} else {
		a.Reason = reason
	}
	var err error
	if raw, _ := o.get("amount"); !isNull(raw) {
		a.AmountCents, err = parseAmount(raw)
	}
	if raw, _ := o.get("quantity"); err == nil && !isNull(raw) {
		a.Quantity, err = parseQuantity(raw)
	}
	if err != nil {
		return resolver.Action{}, err
	}
	// Zero would read as "not given" and pass for a field that was left null.
	if err := zeroes(o); err != nil {
		return resolver.Action{}, err
	}
	return a, a.Validate()
}

func zeroes(o object) error {
	for _, name := range []string{"amount", "quantity"} {
		raw, _ := o.get(name)
		if !isNull(raw) && !bytes.ContainsAny(raw, "123456789") {
			return fmt.Errorf("%s is not above 0", name)
		}
	}
	return nil
}

func parseAmount(raw json.RawMessage) (int64, error) {
	if raw[0] == '"' || raw[0] == '{' || raw[0] == '[' || raw[0] == 't' || raw[0] == 'f' {
		return 0, errors.New("amount is not a number")
	}
	cents, err := resolver.ParseCents(string(raw))
	if err != nil {
		return 0, fmt.Errorf("amount %w", err)
	}
	return cents, nil
}

func parseQuantity(raw json.RawMessage) (int, error) {
	n, err := strconv.ParseUint(string(raw), 10, 8)
	if err != nil {
		return 0, errors.New("quantity is not a small whole number")
	}
	return int(n), nil
}
