package field

import (
	"errors"

	"github.com/paytwice/paytwice/explorer/history"
)

// F12: https://github.com/golang/go/issues/11978 and https://github.com/lib/pq/issues/939
//
// A database layer sends a statement again when the driver reports a bad connection. Drivers reported
// one also after the statement had run, so with a proxy that cut connections one insert made two rows,
// and counters went up twice. The contract allows the error only where the server can't have run it.
//
// Class: hidden retry of a lower layer. Here the row is in an outbox, and a relay pays what it finds
// there. Right: the row's name is the intent's, and a duplicate is one's own row, read back.
func f12() report {
	return report{
		id: "F12", doc: "the driver layer resends a statement that had already run",
		link:    "https://github.com/golang/go/issues/11978",
		profile: "replay-all", faults: []string{"lose-response"}, expect: "double-write",
		jobs: oneRefund(), operations: "outbox", remote: true, live: f12Live,
	}
}

// f12Executions is how often the layer runs a statement: twice on a connection of the pool, then once on
// a new one.
const f12Executions = 3

// f12Exec is the database layer.
func f12Exec(statement func() error) (err error) {
	for range f12Executions {
		if err = statement(); !errors.Is(err, errNoAnswer) {
			return err
		}
	}
	return err
}

func f12Live(p *proc) (history.End, error) {
	var job row
	var open bool
	err := f12Exec(func() (err error) { job, open, err = p.take("T-1"); return err })
	if err != nil || !open {
		return endOf(job.State), err
	}
	outbox, err := f12Outbox(p)
	if err != nil {
		return history.Failed, err
	}
	if len(outbox) == 0 {
		if err := f12Append(p); err != nil {
			return history.Failed, err
		}
		if outbox, err = f12Outbox(p); err != nil {
			return history.Failed, err
		}
	}
	for _, r := range outbox {
		if err := f12Relay(p, r); err != nil {
			return history.Failed, err
		}
	}
	end := history.Failed
	err = f12Exec(func() (err error) { end, err = p.end("T-1", done); return err })
	return end, err
}

func f12Outbox(p *proc) (rows []row, err error) {
	err = f12Exec(func() (err error) { rows, err = p.scan("outbox"); return err })
	return rows, err
}

// f12Append puts the refund into the outbox.
func f12Append(p *proc) error {
	i := p.jobs[0].intents[0]
	r := row{Table: "outbox", Run: "T-1", Intent: i.ID, State: pending, Body: changeOf(i)}
	if !p.broken {
		r.ID = i.ID
	}
	err := f12Exec(func() error { _, err := p.insert(r); return err })
	if errors.Is(err, errDuplicate) {
		return nil // our own row: nobody else writes under the intent's name
	}
	return err
}

// f12Relay pays one row of the outbox.
func f12Relay(p *proc, r row) error {
	if r.State == done {
		return nil
	}
	a := p.send(request{tool: "refund", key: r.ID, body: r.Body})
	if !a.applied() {
		return a.err()
	}
	r.State, r.Record = done, a.record
	return f12Exec(func() error { return p.update(r) })
}
