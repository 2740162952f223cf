package resolver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/resolver"
)

func TestNewProposal(t *testing.T) {
	dearer := feeRefund
	dearer.AmountCents++
	damaged := feeRefund
	damaged.ReasonCode = "RFD-DAMAGE"
	broken := feeRefund
	broken.AmountCents = 0
	for _, c := range []struct {
		name    string
		outcome resolver.Outcome
		actions []resolver.Action
		want    string // a part of the error; empty means that it is a proposal
	}{
		{"one action", resolver.Resolve, []resolver.Action{feeRefund}, ""},
		{"two of one order", resolver.Resolve, []resolver.Action{planter, planterBack}, ""},
		{"two refunds for two reasons", resolver.Resolve, []resolver.Action{feeRefund, damaged}, ""},
		{"two amounts", resolver.Resolve, []resolver.Action{feeRefund, dearer}, ""},
		{"a reply", resolver.ReplyOnly, nil, ""},
		{"a question", resolver.AskCustomer, nil, ""},
		{"a person", resolver.HandToPerson, nil, ""},
		{"identical", resolver.Resolve, []resolver.Action{planter, feeRefund, planter}, "actions 1 and 3 are identical"},
		{"resolve with nothing", resolver.Resolve, nil, "outcome resolve with 0"},
		{"a reply that acts", resolver.ReplyOnly, []resolver.Action{feeRefund}, "outcome reply_only with 1"},
		{"not valid", resolver.Resolve, []resolver.Action{planter, broken}, "action 2: amount"},
		{"too many", resolver.Resolve, []resolver.Action{feeRefund, dearer, damaged, planter, planterBack}, "at most 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := resolver.NewProposal("T-1", c.outcome, "W2", c.actions, "Hello", "late")
			if c.want != "" {
				if p != nil || err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				same(t, "identical", errors.Is(err, resolver.ErrIdenticalActions), c.name == "identical")
				return
			}
			must(t, err)
			same(t, "actions", len(p.Actions), len(c.actions))
		})
	}
}

func TestNewProposal_NamesEachRollback(t *testing.T) {
	p, err := resolver.NewProposal("T-1", resolver.Resolve, "W5", []resolver.Action{planter, planterBack, feeRefund}, "", "")
	must(t, err)
	for i, want := range []resolver.Rollback{resolver.RollbackCompensating, resolver.RollbackInBand, resolver.RollbackOutOfBand} {
		same(t, string(p.Actions[i].Tool), p.Actions[i].Rollback, want)
		if p.Actions[i].RollbackText == "" {
			t.Errorf("%s says no way back", p.Actions[i].Tool)
		}
	}
	same(t, "summary", p.Summary(), "resolve (W5): reship_item LK-640436, create_return_label LK-640436, request_refund LK-793996")
	same(t, "summary of a reply", (&resolver.Proposal{Outcome: resolver.ReplyOnly, Rule: "W1"}).Summary(), "reply_only (W1)")
}
