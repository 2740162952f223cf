package field

import "github.com/paytwice/paytwice/explorer/history"

// F07: https://github.com/kubernetes-sigs/cluster-api-provider-aws/issues/6131
//
// A controller creates a virtual machine and writes its id down at the end of its loop. When it dies
// before that, or somebody else has edited the row meanwhile and the write is refused, the next loop looks
// the machine up by its tags, the cloud's list is a little behind and shows nothing, and a second machine
// is created; with a crash loop, one more each time.
//
// Class: unrecorded effect and stale look-up, double write. Right: a client token is stored before the
// call, so that creating again is harmless. "Not found" while the list may lag says nothing.
func f07() report {
	i := intent("T-1/machine", "create", "MACHINE-1", 0, "replica")
	return report{
		id: "F07", doc: "a crash right after the create, and the look-up that should find it lags",
		link:    "https://github.com/kubernetes-sigs/cluster-api-provider-aws/issues/6131",
		profile: "scoped-token", faults: []string{"lag 30s", "advance 25h", "world machine-edited", "lose-response"}, expect: "double-write", keyless: brokenSendsNone,
		jobs: []job{{"T-1", []history.Intent{i}}}, operations: "machine",
		first:  []row{{Table: "machine", ID: "MACHINE-1", Run: "T-1", Intent: i.ID, State: pending, Body: changeOf(i)}},
		events: map[string]func(*machine) error{"machine-edited": nil}, live: f07Live,
	}
}

func f07Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	if p.met("machine-edited") {
		p.other = func() error { return f07Edit(p) }
	}
	machine, _, err := p.find("machine", "MACHINE-1")
	if err != nil {
		return history.Failed, err
	}
	if machine.Record == "" {
		if err := f07Create(p, machine); err != nil {
			return history.Failed, err
		}
	}
	return p.end("T-1", done)
}

// f07Create finds or creates the machine and writes its id down.
func f07Create(p *proc, machine row) error {
	f := p.ask("create", machine.Body, machine.At)
	if f.kind == history.NoAnswer {
		return f.err()
	}
	if !f.found() {
		if !p.broken && machine.Key == "" {
			machine.Key, machine.At = "token of "+machine.ID, p.now()
			if err := p.update(machine); err != nil {
				return err
			}
		}
		a := p.send(request{tool: "create", key: machine.Key, body: machine.Body})
		if !a.applied() {
			return a.err()
		}
		f.record = a.record
	}
	if err := p.await(); err != nil {
		return err
	}
	return p.commit("T-1", "write down that "+machine.ID+" is "+f.record, func(w *world) error {
		if w.rows[w.at("machine", machine.ID)].Count != machine.Count {
			return errConflict
		}
		machine.State, machine.Record = done, f.record
		machine.Count++
		return w.update(machine)
	})
}

// f07Edit is somebody else's change of the machine's row.
func f07Edit(p *proc) error {
	return p.commit("", "somebody edits the machine", func(w *world) error {
		machine := w.rows[w.at("machine", "MACHINE-1")]
		machine.Count++
		return w.update(machine)
	})
}
