package field

import (
	"time"

	"github.com/paytwice/paytwice/explorer/history"
)

// F06: https://github.com/own-pay/OwnPay/issues/222
//
// A nightly job turns every refund that has been pending for a day into a failed one, and asks nobody.
// When the process died between the gateway's payment and the bookkeeping, the customer has the money;
// the amount that is free again and the visible "failed" invite a second refund.
//
// Class: late arrival, false negative of a reconciliation. Right: no news is no outcome. The job looks;
// what it does not find it sends again under the key of the first request, and it writes "failed" only
// upon a definite no.
func f06() report {
	return report{
		id: "F06", doc: "the reconciler declares old pending refunds failed without asking the gateway",
		link:    "https://github.com/own-pay/OwnPay/issues/222",
		profile: "transient-flag", faults: []string{"lose-response", "deliver-late 30h"}, expect: "unknown-as-failed",
		jobs: oneRefund(), operations: "refund", live: f06Live,
	}
}

// f06Age is how long a refund may be pending before the nightly job looks after it.
const f06Age = 24 * time.Hour

func f06Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	rows, err := p.scan("refund")
	if err != nil {
		return history.Failed, err
	}
	var refund row
	if len(rows) > 0 {
		refund = rows[len(rows)-1]
	}
	if refund.State == pending { // left behind by an earlier life: the nightly job's turn
		if err := p.wait(refund.At.Add(f06Age)); err != nil {
			return history.Failed, err
		}
		if p.broken {
			refund.State = failed
			if err := p.update(refund); err != nil {
				return history.Failed, err
			}
		} else if f := p.ask("refund", refund.Body, refund.At); f.found() {
			return f06Paid(p, refund, f.record)
		}
	}
	if len(rows) == 0 || refund.State == failed { // the merchant asks for the refund, or asks again
		i := p.jobs[0].intents[0]
		refund, err = p.insert(row{Table: "refund", Run: "T-1", Intent: i.ID, State: pending, Body: changeOf(i), At: p.now()})
		if err != nil {
			return history.Failed, err
		}
	}
	if refund.State == done {
		return p.end("T-1", done)
	}
	a := p.send(request{tool: "refund", key: refund.ID, body: refund.Body})
	if !a.applied() {
		return history.Failed, a.err()
	}
	return f06Paid(p, refund, a.record)
}

// f06Paid writes down that the gateway has paid.
func f06Paid(p *proc, refund row, record string) (history.End, error) {
	refund.State, refund.Record = done, record
	if err := p.update(refund); err != nil {
		return history.Failed, err
	}
	return p.end("T-1", done)
}
