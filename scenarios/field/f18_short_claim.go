package field

import (
	"time"

	"github.com/paytwice/paytwice/explorer/history"
)

// F18: https://github.com/aws-powertools/powertools-lambda-python/issues/8049
//
// The record that says "in progress" expires with the function's own time limit. When the platform stops
// the function while somebody else's withdrawal is under way, the next delivery finds the marker expired
// and runs the payload again. (Closed there as working as designed.)
//
// Class: a claim expires before its effect has settled, double write. Right: behind an expired claim is
// an unknown outcome, so ask, and send again only under the claim's own key and only while the provider
// must still know it; from then on it is a person's.
func f18() report {
	return report{
		id: "F18", doc: "\"in progress\" protects no longer than the function's time limit",
		link:    "https://github.com/aws-powertools/powertools-lambda-python/issues/8049",
		profile: "replay-all", faults: []string{"lose-request", "deliver-late 30s", "advance 25h"}, expect: "double-write",
		jobs:       []job{{"T-1", []history.Intent{intent("T-1/withdrawal", "withdraw", "ACCOUNT-1", 5000, "payout")}}},
		operations: "claim", live: f18Live,
	}
}

const (
	// f18Limit is the function's time limit, and how long its claim holds.
	f18Limit = 15 * time.Second
	// f18Redelivery is when a delivery that met a claim comes again.
	f18Redelivery = 30 * time.Second
	// f18Margin is how long before the provider forgets a key it is not sent any more.
	f18Margin = time.Hour
)

func f18Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	claims, err := p.scan("claim")
	if err != nil {
		return history.Failed, err
	}
	var claim row
	if len(claims) > 0 {
		claim = claims[len(claims)-1]
		if claim.State == pending && p.now().Before(claim.At.Add(f18Limit)) {
			if err := p.wait(p.now().Add(f18Redelivery)); err != nil {
				return history.Failed, err
			}
		}
		if claim.State != pending {
			return f18Settle(p, claim)
		}
		if !p.broken {
			return f18Expired(p, claim)
		}
	}
	i := p.jobs[0].intents[0]
	claim, err = p.insert(row{Table: "claim", Run: "T-1", Intent: i.ID, State: pending, Body: changeOf(i), At: p.now()})
	if err != nil {
		return history.Failed, err
	}
	return f18Withdraw(p, claim)
}

// f18Withdraw makes the withdrawal. Without an answer the platform stops the function at its limit.
func f18Withdraw(p *proc, claim row) (history.End, error) {
	a := p.send(request{tool: "withdraw", key: claim.ID, body: claim.Body})
	if !a.applied() {
		if err := p.wait(claim.At.Add(f18Limit)); err != nil {
			return history.Failed, err
		}
		return history.Failed, a.err()
	}
	claim.State, claim.Record = done, a.record
	return f18Settle(p, claim)
}

// f18Expired goes on behind a claim that has expired.
func f18Expired(p *proc, claim row) (history.End, error) {
	f := p.ask("withdraw", claim.Body, claim.At)
	ttl := p.engine.Profile.Capabilities().KeyTTL
	switch {
	case f.found():
		claim.State, claim.Record = done, f.record
	case ttl > 0 && p.now().Sub(claim.At) >= ttl-f18Margin:
		claim.State = unknown
	default:
		return f18Withdraw(p, claim)
	}
	return f18Settle(p, claim)
}

// f18Settle writes down what became of the claim and ends the job.
func f18Settle(p *proc, claim row) (history.End, error) {
	if err := p.update(claim); err != nil {
		return history.Failed, err
	}
	if claim.State == unknown {
		return p.end("T-1", person)
	}
	return p.end("T-1", done)
}
