package field

import (
	"fmt"
	"hash/fnv"

	"github.com/paytwice/paytwice/explorer/history"
)

// F02: https://github.com/Adyen/adyen-commercetools/issues/1305
//
// Where the merchant gives no key, an integration hashes the whole request to get one. The request holds
// a moment and other things that are fresh with every submit, so the retry of one purchase has another
// hash and is authorised a second time.
//
// Class: double write, an unstable key. Right: the key is the intent's name, and the bytes of the body
// are written down before they are sent and sent again unchanged.
func f02() report {
	return report{
		id: "F02", doc: "the key is a hash of fields that change with every submit",
		link:    "https://github.com/Adyen/adyen-commercetools/issues/1305",
		profile: "transient-flag", faults: []string{"lose-response"}, expect: "double-write",
		jobs:       []job{{"T-1", []history.Intent{intent("T-1/payment", "authorise", "CART-1", 4990, "purchase")}}},
		operations: "payment", live: f02Live,
	}
}

func f02Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	payment, found, err := p.find("payment", "T-1")
	if err != nil {
		return history.Failed, err
	}
	if !found {
		if payment, err = p.insert(f02Payment(p)); err != nil {
			return history.Failed, err
		}
	}
	if p.broken { // what is sent is built anew each time
		fresh := f02Payment(p)
		payment.Body, payment.Key = fresh.Body, f02Hash(fresh.Body)
	}
	a := p.send(request{tool: "authorise", key: payment.Key, body: payment.Body})
	if !a.applied() {
		return history.Failed, a.err()
	}
	payment.State, payment.Record = done, a.record
	if err := p.update(payment); err != nil {
		return history.Failed, err
	}
	return p.end("T-1", done)
}

// f02Payment builds the request of a purchase.
func f02Payment(p *proc) row {
	i := p.jobs[0].intents[0]
	body := changeOf(i)
	body.Stamp = "created " + p.now().Format("15:04:05")
	return row{Table: "payment", ID: "T-1", Run: "T-1", Intent: i.ID, State: pending, Key: i.ID, Body: body}
}

func f02Hash(c change) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v", c)
	return fmt.Sprintf("%016x", h.Sum64())
}
