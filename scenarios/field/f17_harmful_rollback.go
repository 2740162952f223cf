package field

import (
	"errors"

	"github.com/paytwice/paytwice/explorer/history"
)

// F17: https://github.com/medusajs/medusa/issues/13301, mended by
// https://github.com/medusajs/medusa/pull/15527
//
// The shop's front-end and the payment's webhook each started the workflow that completes a cart. One
// created the order; the other failed on the duplicate and rolled back in reverse order, and its payment
// step took back the capture, which belonged to the order of the first. Healthy orders were refunded.
//
// Class: harmful compensation. Right: a rollback takes back only what its own execution made; when an
// order is there that another execution made, losing the race means to stop.
func f17() report {
	return report{
		id: "F17", doc: "the losing execution's rollback refunds the winner's good order",
		link:    "https://github.com/medusajs/medusa/issues/13301",
		profile: "replay-all", faults: []string{"world webhook"}, expect: "foreign-undo",
		jobs:       []job{{"T-1", []history.Intent{intent("T-1/capture", "capture", "CART-1", 4990, "purchase")}}},
		operations: "order", rule: f17Rule, live: f17Live,
		events: map[string]func(*machine) error{"webhook": nil},
	}
}

// f17Rule lets a cancellation take back the capture of its cart.
func f17Rule(m *machine, e effect) error {
	if e.Tool != "cancel" {
		return nil
	}
	for _, capture := range m.provider.Ledger {
		if capture.Tool == "capture" && capture.Stands(e.At) {
			capture.ReversedAt = e.At
			return m.provider.Reverse(capture)
		}
	}
	return nil
}

// f17Live is a server with the front-end's request. The webhook's, where it comes at the same time, gets
// its turn when the first awaits the store.
func f17Live(p *proc) (history.End, error) {
	if p.met("webhook") {
		p.other = func() error {
			_, err := f17Complete(p, "webhook")
			return err
		}
	}
	return f17Complete(p, "front-end")
}

// f17Complete is the workflow that completes the cart, as one execution runs it.
func f17Complete(p *proc, execution string) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	_, found, err := p.find("order", "CART-1")
	if err != nil {
		return history.Failed, err
	}
	if err := p.await(); err != nil {
		return history.Failed, err
	}
	if found {
		return p.end("T-1", done)
	}
	i := p.jobs[0].intents[0]
	a := p.send(request{tool: "capture", key: i.ID, body: changeOf(i), caller: execution})
	if !a.applied() {
		return history.Failed, a.err()
	}
	order := row{Table: "order", ID: "CART-1", Run: "T-1", Intent: i.ID, State: done, Record: a.record, Owner: execution}
	if _, err = p.insert(order); errors.Is(err, errDuplicate) {
		return f17Lost(p, execution)
	} else if err != nil {
		return history.Failed, err
	}
	return p.end("T-1", done)
}

// f17Lost is the end of an execution whose order is there already.
func f17Lost(p *proc, execution string) (history.End, error) {
	order, _, err := p.find("order", "CART-1")
	if err != nil {
		return history.Failed, err
	}
	if !p.broken && order.Owner != execution {
		return history.Done, nil
	}
	i := p.jobs[0].intents[0]
	cancel := change{Intent: "T-1/cancel", Subject: i.Subject, Reason: "rollback"}
	p.send(request{tool: "cancel", key: "cancel of " + i.ID, body: cancel, caller: execution,
		undoes: i.ID + " by " + f17Maker(p), owner: i.ID + " by " + execution})
	return history.Done, nil
}

// f17Maker says, for the judge, whose the capture is: the program itself does not look.
func f17Maker(p *proc) string {
	for _, e := range p.provider.Ledger {
		if e.Tool == "capture" {
			return e.Caller
		}
	}
	return "nobody"
}
