package field

import "github.com/paytwice/paytwice/explorer/history"

// F01: https://github.com/medusajs/medusa/issues/16681
//
// A payment module writes a refund row first and uses the row's id as the provider's key. When the call
// fails, the handler deletes the row, and with it the only record of the key: the next try writes another
// row and sends another key, so a provider that has already paid can't see that it is the same refund.
//
// Class: double write, a fresh key per try. Right: the row survives its failure, and the next try sends
// the key that the first one sent.
func f01() report {
	return report{
		id: "F01", doc: "the retry mints a new key because the failed row was deleted",
		link:    "https://github.com/medusajs/medusa/issues/16681",
		profile: "replay-all", faults: []string{"lose-response"}, expect: "double-write",
		jobs: oneRefund(), operations: "refund", live: f01Live,
	}
}

func f01Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	refund, err := f01Row(p)
	if err != nil {
		return history.Failed, err
	}
	a := p.send(request{tool: "refund", key: refund.ID, body: refund.Body})
	switch {
	case a.applied():
		refund.State, refund.Record = done, a.record
		if err := p.update(refund); err != nil {
			return history.Failed, err
		}
		return p.end("T-1", done)
	case a.refused():
		refund.State = failed
		if err := p.update(refund); err != nil {
			return history.Failed, err
		}
		return p.end("T-1", person)
	}
	if p.broken {
		if err := p.remove(refund); err != nil {
			return history.Failed, err
		}
	}
	return history.Failed, a.err()
}

// f01Row returns the refund's row, a new one if there is none.
func f01Row(p *proc) (row, error) {
	rows, err := p.scan("refund")
	if err != nil {
		return row{}, err
	}
	if len(rows) > 0 {
		return rows[0], nil
	}
	i := p.jobs[0].intents[0]
	return p.insert(row{Table: "refund", Run: "T-1", Intent: i.ID, State: pending, Body: changeOf(i)})
}
