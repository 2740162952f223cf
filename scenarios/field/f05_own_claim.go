package field

import (
	"errors"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
)

// F05: https://github.com/idempot-dev/idempot-js/issues/185
//
// A store layer sends a write again when its answer is lost. The insert that claims a key was committed,
// its repeat meets the unique constraint, and that reads as "somebody else holds it": the request is
// answered 409, the handler never runs, and the claim stays in progress for as long as it lives. Each
// later try gets 409, too.
//
// Class: self-orphaned claim, lost write. Right: the claim carries who claims, a duplicate is read back,
// and one's own claim is no obstacle.
func f05() report {
	return report{
		id: "F05", doc: "the claim's own retry meets its own row and steps aside",
		link:    "https://github.com/idempot-dev/idempot-js/issues/185",
		profile: "replay-all", faults: []string{"lose-response"}, expect: "lost-write",
		jobs: oneRefund(), operations: "claim", remote: true, live: f05Live,
	}
}

// f05Tries is how often the client tries before it gives up, f05Pause how long it waits after a 409.
const (
	f05Tries = 3
	f05Pause = 10 * time.Second
)

// f05Live is the client with its request, and the server that it asks.
func f05Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	for range f05Tries {
		claim, mine, err := f05Claim(p)
		if err != nil {
			return history.Failed, err
		}
		if mine {
			return f05Handle(p, claim)
		}
		if err := p.wait(p.now().Add(f05Pause)); err != nil {
			return history.Failed, err
		}
	}
	return p.end("T-1", stopped)
}

// f05Claim claims the key for this request.
func f05Claim(p *proc) (claim row, mine bool, err error) {
	i := p.jobs[0].intents[0]
	claim = row{Table: "claim", ID: "T-1", Run: "T-1", Intent: i.ID, State: pending, Owner: "request of T-1"}
	_, err = p.insert(claim)
	if errors.Is(err, errNoAnswer) { // the store layer's own repeat
		_, err = p.insert(claim)
	}
	if !errors.Is(err, errDuplicate) {
		return claim, err == nil, err
	}
	there, _, err := p.find("claim", "T-1")
	if err != nil {
		return claim, false, err
	}
	if p.broken {
		return there, there.State == done, nil
	}
	return there, there.State == done || there.Owner == claim.Owner, nil
}

// f05Handle does the work of a claimed request; a repeat of a finished one is answered from the claim.
func f05Handle(p *proc, claim row) (history.End, error) {
	if claim.State != done {
		a := p.send(request{tool: "refund", key: claim.Intent, body: changeOf(p.jobs[0].intents[0])})
		if !a.applied() {
			return history.Failed, a.err()
		}
		claim.State, claim.Record = done, a.record
		if err := p.update(claim); err != nil {
			return history.Failed, err
		}
	}
	return p.end("T-1", done)
}
