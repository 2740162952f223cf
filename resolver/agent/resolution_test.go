package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

const (
	label  = `{"tool":"create_return_label","order_id":"LK-100001","sku":"RUG-W","quantity":null,"amount":null,"reason":"damaged","payment_id":null}`
	reship = `{"tool":"reship_item","order_id":"LK-100001","sku":"RUG-W","quantity":2,"amount":null,"reason":null,"payment_id":null}`
)

func TestParseResolution_KeepsActionsAsTheProgramWritesThem(t *testing.T) {
	named := strings.Replace(refund("LK-507862", "119.0"), `"payment_id":null`, `"payment_id":"PAY-507862-2"`, 1)
	p, err := agent.ParseResolution("T-1", []byte(resolution("resolve", named, label, reship)))
	if err != nil {
		t.Fatal(err)
	}
	want := []resolver.Action{
		{Tool: resolver.RequestRefund, OrderID: "LK-507862", AmountCents: 11900, ReasonCode: "RFD-LATE", PaymentID: "PAY-507862-2"},
		{Tool: resolver.CreateReturnLabel, OrderID: "LK-100001", SKU: "RUG-W", Reason: "damaged"},
		{Tool: resolver.ReshipItem, OrderID: "LK-100001", SKU: "RUG-W", Quantity: 2},
	}
	got := []resolver.Action{}
	for _, a := range p.Actions {
		got = append(got, a.Action)
		if a.Rollback == "" {
			t.Errorf("%s names no rollback", a.Tool)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := p.Summary(); got != "resolve (W2): request_refund LK-507862, create_return_label LK-100001, reship_item LK-100001" {
		t.Error(got)
	}
}

// An amount is converted through its text: no floating number is in between.
func TestParseResolution_Amounts(t *testing.T) {
	for amount, want := range map[string]int64{
		"9.95": 995, "119.0": 11900, "22": 2200, "0.01": 1, "5000": 500000, "5000.00": 500000, "0.29": 29, "1.10": 110, "4.350": 435,
		"0": -1, "0.00": -1, "-0": -1, "-9.95": -1, "5000.01": -1, "9.955": -1, "0.001": -1, "1e2": -1, "1E-2": -1, `"9.95"`: -1,
		"true": -1, "[]": -1, "{}": -1, "null": -1, "99999999999999999999": -1,
	} {
		p, err := agent.ParseResolution("T-1", []byte(resolution("resolve", refund("LK-100001", amount))))
		switch {
		case want < 0 && err == nil:
			t.Errorf("%s is taken as %d", amount, p.Actions[0].AmountCents)
		case want >= 0 && (err != nil || p.Actions[0].AmountCents != want):
			t.Errorf("%s: %v", amount, err)
		}
	}
}

func TestParseResolution_Refuses(t *testing.T) {
	swap := func(old, new string) string {
		text := resolution("resolve", refund("LK-100001", "9.95"))
		if !strings.Contains(text, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for name, c := range map[string]struct{ text, says string }{
		"not JSON":                 {`{"outcome"`, "not one JSON object"},
		"a list":                   {`[]`, "not one JSON object"},
		"two":                      {resolution("reply_only") + "{}", "not one JSON object"},
		"an extra field":           {swap(`"rule":`, `"approved":true,"rule":`), `"approved" has no place`},
		"a field twice":            {swap(`"rule":`, `"rule":"W1","rule":`), "twice"},
		"a missing field":          {swap(`"reply":"Hello",`, ``), `"reply" is missing`},
		"null for a text":          {swap(`"reply":"Hello"`, `"reply":null`), "reply is not a text"},
		"unknown outcome":          {swap(`"resolve"`, `"approve"`), `no outcome "approve"`},
		"rule too long":            {swap(`"W2"`, `"`+strings.Repeat("W", 41)+`"`), "rule has 41 characters"},
		"reply too long":           {swap(`"Hello"`, `"`+strings.Repeat("é", 2001)+`"`), "reply has 2001 characters"},
		"reason too long":          {swap(`"Late"`, `"`+strings.Repeat("x", 601)+`"`), "reason has 601 characters"},
		"escape in the reply":      {swap(`"Hello"`, `"Hi\u001b[2J"`), "reply holds a control character"},
		"C1 in the reason":         {swap(`"Late"`, `"Hi\u009b2J"`), "reason holds a control character"},
		"direction in the reply":   {swap(`"Hello"`, `"\u202eoof"`), "reply holds a control character"},
		"line end in the rule":     {swap(`"W2"`, `"W2\nW3"`), "rule holds a control character"},
		"actions no list":          {`{"outcome":"resolve","rule":"","actions":{},"reply":"","reason":""}`, "actions is not a list"},
		"an action no object":      {resolution("resolve", "1"), "action 1"},
		"five actions":             {resolution("resolve", reship, reship, reship, reship, reship), "5 actions"},
		"actions of a reply":       {resolution("reply_only", reship), "actions go with resolve"},
		"extra field in an action": {swap(`"sku":`, `"note":"x","sku":`), `"note" has no place`},
		"missing field":            {swap(`"sku":null,`, ``), `"sku" is missing`},
		"unknown tool":             {swap(`"request_refund"`, `"add_note"`), "unknown tool"},
		"bad order":                {swap(`LK-100001`, `LK-1`), "six digits"},
		"bad reason":               {swap(`RFD-LATE`, `RFD-RETURN`), "not one of"},
		"no reason":                {swap(`"reason":"RFD-LATE"`, `"reason":null`), "not one of"},
		"another tool's field":     {swap(`"sku":null`, `"sku":"RUG-W"`), "another tool"},
		"zero of another tool":     {swap(`"quantity":null`, `"quantity":0`), "quantity is not above 0"},
		"quantity with a point":    {resolution("resolve", strings.Replace(reship, "2", "2.0", 1)), "whole number"},
		"quantity 11":              {resolution("resolve", strings.Replace(reship, ":2", ":11", 1)), "1 to 10"},
		"sku with an escape":       {resolution("resolve", strings.Replace(reship, "RUG-W", `R\u001bG`, 1)), "sku is not a name"},
		"empty sku":                {resolution("resolve", strings.Replace(reship, "RUG-W", ``, 1)), "sku is not a name"},
		"identical actions":        {resolution("resolve", reship, label, reship), "actions 1 and 3 are identical"},
	} {
		p, err := agent.ParseResolution("T-1", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v; want an error with %q", name, p, err, c.says)
		}
	}
}

// FuzzParseResolution: whatever comes out is a proposal that a service could carry out and a terminal show.
func FuzzParseResolution(f *testing.F) {
	for _, seed := range []string{
		resolution("resolve", refund("LK-100001", "9.95"), label, reship), resolution("reply_only"),
		resolution("resolve", refund("LK-100001", "9.955")), `{"a":`, `{"a":"\"}`, "{}", "[]", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := agent.ParseResolution("T-1", data)
		if err != nil {
			return
		}
		for _, a := range p.Actions {
			if err := a.Validate(); err != nil {
				t.Error(err)
			}
		}
		for _, text := range []string{p.Rule, p.Reply, p.Reason} {
			if agent.Clean(text) != text {
				t.Errorf("%q is not fit to be shown", text)
			}
		}
	})
}
