package field

import (
	"errors"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// F10: https://github.com/etcd-io/etcd/issues/11456 and https://github.com/etcd-io/etcd/issues/10811
//
// A worker holds a lock whose lease runs out while the worker stands still. Another one gets the lock and
// does the work; the first wakes up and goes on, still sure of its lock: an update is lost, or both pay.
// The maintainers' advice was to compare the lock's revision at the resource that it guards.
//
// Class: lease zombie. Right: the store and the provider see the token of the lease and refuse an older
// one than they have seen. The lease itself keeps workers apart, it does not make a write safe.
func f10() report {
	return report{
		id: "F10", doc: "a lock is believed in after the lease behind it has expired",
		link:    "https://github.com/etcd-io/etcd/issues/11456",
		profile: "no-key", faults: []string{"pause 2m", "lose-response"}, expect: "double-write", keyless: noneSendsKeys,
		jobs: oneRefund(), operations: "attempt", rule: f10Rule, live: f10Live,
		first: []row{{Table: "lease", ID: "T-1"}},
		seams: []faults.Site{leaseSite("acquire"), leaseSite("check"), leaseSite("release")},
	}
}

// f10TTL is how long a lease holds.
const f10TTL = 30 * time.Second

func leaseSite(operation string) faults.Site { return faults.Site{Seam: "lease", Operation: operation} }

// f10Rule is the guarded resource: a token older than one it has seen is refused.
func f10Rule(m *machine, e effect) error {
	for _, other := range m.provider.Ledger {
		if e.Payload.Fence != 0 && other.Payload.Fence > e.Payload.Fence {
			return &provider.Refusal{Code: "stale_token", Message: fmt.Sprintf("token %d was seen", other.Payload.Fence)}
		}
	}
	return nil
}

func f10Live(p *proc) (history.End, error) {
	token, err := f10Acquire(p)
	if err != nil {
		return history.Failed, err
	}
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	fence := token
	if p.broken {
		fence = 0
	}
	record, err := f10Pay(p, token, fence)
	if err != nil {
		return history.Failed, err
	}
	if err := f10Write(p, fence, record); err != nil {
		return history.Failed, err
	}
	end, err := p.end("T-1", done)
	if err != nil {
		return end, err
	}
	return end, p.transaction(leaseSite("release"), true, "", "release the lease", func(w *world) error {
		lease := w.rows[w.at("lease", "T-1")]
		if lease.Count == token {
			lease.At = time.Time{}
		}
		return w.update(lease)
	})
}

// f10Pay makes the payment, or finds the one that an earlier worker made.
func f10Pay(p *proc, token, fence int) (string, error) {
	attempt, found, err := p.find("attempt", "T-1")
	if err != nil || attempt.State == done {
		return attempt.Record, err
	}
	i := p.jobs[0].intents[0]
	body := changeOf(i)
	if found {
		f, err := p.settle("refund", body, attempt.At)
		switch {
		case err != nil || f.found():
			return f.record, err
		case !f.absent():
			return "", f.err()
		}
	}
	if err := f10Write(p, fence, ""); err != nil {
		return "", err
	}
	holds := false
	err = p.transaction(leaseSite("check"), true, "", "is the lease still ours?", func(w *world) error {
		lease := w.rows[w.at("lease", "T-1")]
		holds = lease.Count == token && lease.At.After(p.now())
		return nil
	})
	if err != nil || !holds {
		return "", errors.Join(errConflict, err)
	}
	body.Fence = fence
	a := p.send(request{tool: "refund", body: body})
	if !a.applied() {
		return "", a.err()
	}
	return a.record, nil
}

// f10Write writes the attempt down: about to be made, or made. The store, too, refuses an old token.
func f10Write(p *proc, fence int, record string) error {
	return p.commit("T-1", fmt.Sprintf("attempt under token %d", fence), func(w *world) error {
		if lease := w.rows[w.at("lease", "T-1")]; fence != 0 && lease.Count != fence {
			return fmt.Errorf("%w: the lease has token %d", errConflict, lease.Count)
		}
		attempt := row{Table: "attempt", ID: "T-1", Run: "T-1", Intent: p.jobs[0].intents[0].ID, State: pending, At: p.now()}
		if record != "" {
			attempt.State, attempt.Record = done, record
		}
		if w.at("attempt", "T-1") >= 0 {
			return w.update(attempt)
		}
		_, err := w.insert(attempt)
		return err
	})
}

// f10Acquire takes the lease under the next token, once an earlier holder's has run out.
func f10Acquire(p *proc) (token int, err error) {
	for {
		var held time.Time
		err = p.transaction(leaseSite("acquire"), true, "", "acquire the lease", func(w *world) error {
			lease := w.rows[w.at("lease", "T-1")]
			if held = lease.At; held.After(p.now()) {
				return errConflict
			}
			lease.Count, lease.At = lease.Count+1, p.now().Add(f10TTL)
			token = lease.Count
			return w.update(lease)
		})
		if !errors.Is(err, errConflict) {
			return token, err
		}
		if err := p.wait(held); err != nil {
			return 0, err
		}
	}
}
