package field

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults/provider"
)

// F04: https://github.com/medusajs/medusa/pull/16390
//
// The first cure of a double capture always sent the failed try's key again. A provider that binds its
// first answer to the key, errors included, then repeats that error for ever, also once its cause is
// gone. The naive cure of the cure, a new key after any error, pays twice where a 500 hid a success.
//
// Class: poisoned key, lost write. Right: a new key after a definite refusal, which moved no money; after
// anything else only once a look-up has settled that nothing happened. An intent then has several keys,
// so key-payload, which knows no such proof, is not asked here; unknown-as-failed is.
func f04() report {
	return report{
		id: "F04", doc: "the repaired retry is answered from the error cache for ever",
		link:    "https://github.com/medusajs/medusa/pull/16390",
		profile: "replay-all", faults: []string{"refuse", "lose-response", "world error-after-paying", "world error-before-paying"}, expect: "never-ends",
		without: []string{"key-payload"},
		jobs:    oneRefund(), operations: "refund", live: f04Live,
		trouble: f04Trouble,
		events:  map[string]func(*machine) error{"error-after-paying": nil, "error-before-paying": nil},
	}
}

// f04Trouble: the next request is answered 500, with its work done or not.
func f04Trouble(m *machine) provider.Trouble {
	switch {
	case m.met("error-after-paying"):
		return provider.ErrorAfter
	case m.met("error-before-paying"):
		return provider.ErrorBefore
	}
	return provider.NoTrouble
}

func f04Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	refund, found, err := p.find("refund", "T-1")
	if err != nil {
		return history.Failed, err
	}
	if !found {
		i := p.jobs[0].intents[0]
		refund, err = p.insert(row{Table: "refund", ID: "T-1", Run: "T-1", Intent: i.ID, State: pending, Key: i.ID, Body: changeOf(i), At: p.now()})
		if err != nil {
			return history.Failed, err
		}
	}
	a := p.send(request{tool: "refund", key: refund.Key, body: refund.Body})
	if !a.applied() {
		if a, err = f04Again(p, &refund, a); err != nil {
			return history.Failed, err
		}
	}
	refund.State, refund.Record = done, a.record
	if err := p.update(refund); err != nil {
		return history.Failed, err
	}
	return p.end("T-1", done)
}

// f04Again decides under which key the next try goes out, unless the payment turns out to be made.
func f04Again(p *proc, refund *row, a answer) (answer, error) {
	if p.broken {
		return a, a.err() // the same key again, whatever was answered
	}
	if !a.refused() {
		f, err := p.settle("refund", refund.Body, p.now())
		if err != nil {
			return a, err
		}
		if f.found() {
			return answer{kind: history.Applied, record: f.record}, nil
		}
		if !f.absent() {
			return a, a.err()
		}
	}
	refund.Count++
	refund.Key = fmt.Sprintf("%s/%d", refund.Intent, refund.Count)
	if err := p.update(*refund); err != nil {
		return a, err
	}
	return a, a.err()
}
