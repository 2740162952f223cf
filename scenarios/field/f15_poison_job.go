package field

import (
	"errors"
	"slices"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
)

// F15: https://github.com/contribsys/faktory/issues/99
//
// A job that makes its worker crash is never reported as failed: its reservation runs out, and it is
// handed out again, every half hour, without end. Here the worker can't parse the answer of a provider
// that has paid. A cap on failures does not help, since nobody counts one.
//
// Class: poison after n tries. Right: starts are counted, durably and before the call. At the cap the
// provider is asked: a payment that is found is recorded as made, and only one that is not found goes
// to a person. (The report asks for a person in both cases; once the outcome is known nothing is left to
// decide.)
func f15() report {
	return report{
		id: "F15", doc: "a job that kills its worker comes back for ever",
		link:    "https://github.com/contribsys/faktory/issues/99",
		profile: "replay-all", faults: []string{"world garbled-answers", "lose-response"}, expect: "never-ends", maxCalls: f15Starts,
		jobs: oneRefund(), operations: "refund", live: f15Live,
		events: map[string]func(*machine) error{"garbled-answers": nil},
	}
}

const (
	// f15Starts is how often a job may be begun.
	f15Starts = 3
	// f15Reservation is how long a worker holds a job that it does not report on.
	f15Reservation = 30 * time.Minute
)

var errGarbled = errors.New("can't parse the answer")

func f15Live(p *proc) (history.End, error) {
	if err := f15Reserve(p); err != nil {
		return history.Failed, err
	}
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
		refund, err = p.insert(row{Table: "refund", ID: "T-1", Run: "T-1", Intent: i.ID, State: pending, Body: changeOf(i)})
		if err != nil {
			return history.Failed, err
		}
	}
	if !p.broken {
		if refund.Count == f15Starts {
			return f15Cap(p, refund)
		}
		refund.Count++
		if err := p.update(refund); err != nil {
			return history.Failed, err
		}
	}
	a := p.send(request{tool: "refund", key: refund.Intent, body: refund.Body})
	if !a.applied() {
		return history.Failed, a.err()
	}
	if slices.Contains(p.coming, "garbled-answers") {
		return history.Failed, errGarbled
	}
	refund.State, refund.Record = done, a.record
	if err := p.update(refund); err != nil {
		return history.Failed, err
	}
	return p.end("T-1", done)
}

// f15Reserve waits until the job is handed out again, and reserves it.
func f15Reserve(p *proc) error {
	r, found, err := p.find("reservation", "T-1")
	if err != nil {
		return err
	}
	if !found {
		_, err = p.insert(row{Table: "reservation", ID: "T-1", At: p.now().Add(f15Reservation)})
		return err
	}
	if err := p.wait(r.At); err != nil {
		return err
	}
	r.At = p.now().Add(f15Reservation)
	return p.update(r)
}

// f15Cap ends a job that was begun as often as it may be.
func f15Cap(p *proc, refund row) (history.End, error) {
	f, err := p.settle("refund", refund.Body, p.now())
	if err != nil {
		return history.Failed, err
	}
	outcome := person
	switch {
	case f.found():
		refund.State, refund.Record, outcome = done, f.record, done
	case f.absent():
		refund.State = failed
	case f.kind == history.NoAnswer:
		return history.Failed, errNoAnswer // asking costs nothing: again
	default: // a provider that can't be asked
		refund.State = unknown
	}
	if err := p.update(refund); err != nil {
		return history.Failed, err
	}
	return p.end("T-1", outcome)
}
