package field

import (
	"errors"

	"github.com/paytwice/paytwice/explorer/history"
)

// F08: https://github.com/juspay/hyperswitch/issues/13182
//
// Creating a refund reads the earlier refunds, checks that the sum stays below what was captured, and
// inserts; nothing makes one of the three. Two refunds of 60 on a capture of 100, sent together, both
// read 0, both pass, and 120 goes out. Ids are made per request, so no unique key is in the way.
//
// Class: stale precondition. Right, without leaning on a cap of the provider's: the sum is checked once
// more in the transaction that inserts, and the loser is refused.
func f08() report {
	second := []history.Intent{intent("T-2/refund", "refund", "ORD-1", 6000, "late")}
	return report{
		id: "F08", doc: "two approved refunds read the same balance",
		link:    "https://github.com/juspay/hyperswitch/issues/13182",
		profile: "replay-all", faults: []string{"world second-refund"}, expect: "over-capture",
		jobs:       []job{{"T-1", []history.Intent{intent("T-1/refund", "refund", "ORD-1", 6000, "damaged")}}, {"T-2", second}},
		operations: "refund", captured: map[string]int64{"ORD-1": 10000},
		events: map[string]func(*machine) error{"second-refund": func(m *machine) error {
			_, err := m.insert(jobRow("T-2"))
			if errors.Is(err, errDuplicate) {
				return nil
			}
			return err
		}},
		live: f08Live,
	}
}

// f08Live is a server with the requests that have come. One that comes while the first is being handled
// gets its turn when the first awaits the store.
func f08Live(p *proc) (history.End, error) {
	if p.met("second-refund") {
		p.other = func() error {
			_, err := f08Handle(p, 1)
			return err
		}
	}
	end, err := f08Handle(p, 0)
	if err != nil {
		return history.Failed, err
	}
	if _, came, err := p.find(jobs, "T-2"); err != nil || !came {
		return end, err
	}
	second, err := f08Handle(p, 1)
	if err == nil && end == history.Person {
		return end, nil
	}
	return second, err
}

// f08Handle handles one request for a refund.
func f08Handle(p *proc, n int) (history.End, error) {
	run, i := p.jobs[n].run, p.jobs[n].intents[0]
	job, open, err := p.take(run)
	if err != nil || !open {
		return endOf(job.State), err
	}
	refund, found, err := p.find("refund", run)
	if err != nil {
		return history.Failed, err
	}
	if !found {
		earlier, err := p.scan("refund")
		if err != nil {
			return history.Failed, err
		}
		if err := p.await(); err != nil {
			return history.Failed, err
		}
		refund = row{Table: "refund", ID: run, Run: run, Intent: i.ID, State: pending, Body: changeOf(i)}
		if refund, err = f08Reserve(p, refund, earlier); err != nil {
			return history.Failed, err
		}
	}
	if refund.State == failed {
		return p.end(run, person)
	}
	a := p.send(request{tool: "refund", key: i.ID, body: refund.Body})
	if !a.applied() {
		return history.Failed, a.err()
	}
	refund.State, refund.Record = done, a.record
	if err := p.update(refund); err != nil {
		return history.Failed, err
	}
	return p.end(run, done)
}

// f08Reserve writes the refund down if the captured amount allows it, and that it was refused if not.
func f08Reserve(p *proc, refund row, earlier []row) (row, error) {
	fits := func(rows []row) bool {
		sum := refund.Body.AmountCents
		for _, r := range rows {
			if r.State != failed {
				sum += r.Body.AmountCents
			}
		}
		return sum <= p.captured["ORD-1"]
	}
	if !fits(earlier) {
		refund.State = failed
	}
	err := p.commit(refund.Run, "insert refund "+refund.ID, func(w *world) error {
		if !p.broken && !fits(w.table("refund")) {
			refund.State = failed
		}
		_, err := w.insert(refund)
		return err
	})
	return refund, err
}
