package field

import "github.com/paytwice/paytwice/explorer/history"

// F16: https://github.com/microsoft/agent-framework/issues/3938
//
// Checkpoints are taken at the end of a turn only. A turn made two changes, and the third call failed;
// the exception left before any checkpoint. Resuming replays the whole turn: the finished changes are
// made again.
//
// Class: partial batch, double write. Right: a row and a key for each change; a resumed turn makes only
// those without a settled row, in the stored order.
func f16() report {
	return report{
		id: "F16", doc: "one failed tool call replays its finished siblings",
		link:    "https://github.com/microsoft/agent-framework/issues/3938",
		profile: "replay-all", faults: []string{"lose-response", "refuse"}, expect: "double-write", keyless: brokenSendsNone,
		jobs: []job{{"T-1", []history.Intent{
			intent("T-1/refund", "refund", "ORD-1", 1990, "damaged"),
			intent("T-1/credit", "credit", "ORD-1", 500, "goodwill"),
			intent("T-1/mail", "mail", "ORD-1", 0, "damaged"),
		}}},
		operations: "effect", live: f16Live,
	}
}

func f16Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	settled, err := p.scan("effect")
	if err != nil {
		return history.Failed, err
	}
	var turn []row
	outcome := done
	for n, i := range p.jobs[0].intents {
		var e row
		if n < len(settled) {
			e = settled[n]
		} else {
			if e, err = f16Effect(p, i); err != nil {
				return history.Failed, err
			}
			turn = append(turn, e)
		}
		if e.State == failed {
			outcome = person
			break
		}
	}
	if p.broken { // the turn is over: its checkpoint
		if err := f16Settle(p, turn); err != nil {
			return history.Failed, err
		}
	}
	return p.end("T-1", outcome)
}

// f16Effect makes one change, and writes down what became of it.
func f16Effect(p *proc, i history.Intent) (row, error) {
	e := row{Table: "effect", ID: i.ID, Run: "T-1", Intent: i.ID, Key: i.ID}
	if p.broken {
		e.Key = ""
	}
	a := p.send(request{tool: i.Tool, key: e.Key, body: changeOf(i)})
	switch {
	case a.applied():
		e.State, e.Record = done, a.record
	case a.refused():
		e.State = failed
	default:
		return e, a.err()
	}
	if p.broken {
		return e, nil
	}
	return e, f16Settle(p, []row{e})
}

// f16Settle writes down what became of changes, all in one.
func f16Settle(p *proc, effects []row) error {
	return p.commit("T-1", "what became of the changes", func(w *world) error {
		for _, e := range effects {
			if _, err := w.insert(e); err != nil {
				return err
			}
		}
		return nil
	})
}
