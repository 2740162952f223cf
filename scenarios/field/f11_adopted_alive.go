package field

import "github.com/paytwice/paytwice/explorer/history"

// F11: https://github.com/dbos-inc/dbos-transact-java/issues/491
//
// When an executor starts, a recovery pass scans for workflows of this executor that are pending. A
// caller had just started one; the pass took it for one that a crash had left behind and ran its body
// beside the caller's.
//
// Class: a live execution is adopted by recovery, double write. Right: a workflow's row says in which
// start of the executor it runs, and recovery adopts only those of an earlier one, by compare and set.
func f11() report {
	return report{
		id: "F11", doc: "recovery at launch adopts a workflow that is running in the same process",
		link:    "https://github.com/dbos-inc/dbos-transact-java/issues/491",
		profile: "no-key", faults: []string{"world caller-first", "lose-response"}, expect: "double-write", keyless: noneSendsKeys,
		jobs: oneRefund(), operations: "workflow", live: f11Live,
		first:  []row{{Table: "executor", ID: "local"}},
		events: map[string]func(*machine) error{"caller-first": nil},
	}
}

// f11Live is the executor: it starts, recovers, and serves a caller. A caller who is there first starts
// the workflow while the recovery pass still waits for its turn.
func f11Live(p *proc) (history.End, error) {
	executor, _, err := p.find("executor", "local")
	if err != nil {
		return history.Failed, err
	}
	executor.Count++
	if err := p.update(executor); err != nil {
		return history.Failed, err
	}
	recovery := func() error { return f11Recover(p, executor.Count) }
	if p.met("caller-first") {
		p.other = recovery
	} else if err := recovery(); err != nil {
		return history.Failed, err
	}
	return f11Serve(p, executor.Count)
}

// f11Recover runs what an earlier start left behind.
func f11Recover(p *proc, start int) error {
	pass, err := p.scan("workflow")
	if err != nil {
		return err
	}
	for _, w := range pass {
		if w.State != pending || !p.broken && w.Count >= start {
			continue
		}
		err := p.commit(w.Run, "adopt workflow "+w.ID, func(s *world) error {
			if s.rows[s.at("workflow", w.ID)].Count != w.Count {
				return errConflict
			}
			w.Count = start
			return s.update(w)
		})
		if err != nil {
			return err
		}
		// Its body may have been under way: look before the step is taken again.
		f, err := p.settle("refund", w.Body, w.At)
		if err != nil {
			return err
		}
		if !f.found() && !f.absent() {
			return f.err()
		}
		if err := f11Body(p, w, f.record); err != nil {
			return err
		}
	}
	return nil
}

// f11Serve is the caller's side: start the workflow, or get the one that is there.
func f11Serve(p *proc, start int) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	_, found, err := p.find("workflow", "T-1")
	if err != nil {
		return history.Failed, err
	}
	if !found {
		i := p.jobs[0].intents[0]
		w, err := p.insert(row{Table: "workflow", ID: "T-1", Run: "T-1", Intent: i.ID, State: pending, Body: changeOf(i), Count: start, At: p.now()})
		if err != nil {
			return history.Failed, err
		}
		if err := p.await(); err != nil {
			return history.Failed, err
		}
		if err := f11Body(p, w, ""); err != nil {
			return history.Failed, err
		}
	} else if err := p.await(); err != nil {
		return history.Failed, err
	}
	return p.end("T-1", done)
}

// f11Body is the workflow's one step and its record.
func f11Body(p *proc, w row, record string) error {
	if record == "" {
		w.At = p.now()
		if err := p.update(w); err != nil {
			return err
		}
		a := p.send(request{tool: "refund", body: w.Body})
		if !a.applied() {
			return a.err()
		}
		record = a.record
	}
	w.State, w.Record = done, record
	return p.update(w)
}
