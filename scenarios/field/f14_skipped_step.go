package field

import "github.com/paytwice/paytwice/explorer/history"

// F14: https://github.com/microsoft/agent-framework/issues/3758
//
// A pipeline of steps failed in one of them. Resumed from the checkpoint before it, the workflow ended at
// once and ran nothing: the message that would have driven the failed step was not in the restored state,
// so there was nothing to do.
//
// Class: write lost by recovery. Right: a step's message leaves the queue when the step is complete, in
// the transaction that puts the next one in, and not when the step is handed its message.
func f14() report {
	return report{
		id: "F14", doc: "resume skips the step that had failed",
		link:    "https://github.com/microsoft/agent-framework/issues/3758",
		profile: "replay-all", faults: []string{"lose-response"}, expect: "lost-write",
		jobs: []job{{"T-1", []history.Intent{
			intent("T-1/refund", "refund", "ORD-1", 1990, "damaged"),
			intent("T-1/label", "label", "ORD-1", 0, "damaged"),
			intent("T-1/mail", "mail", "ORD-1", 0, "damaged"),
		}}},
		operations: "step",
		first:      []row{{Table: "message", ID: "for refund"}},
		live:       f14Live,
	}
}

func f14Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	for {
		queue, err := p.scan("message")
		if err != nil {
			return history.Failed, err
		}
		if len(queue) == 0 { // nothing to do: complete
			return p.end("T-1", done)
		}
		if err := f14Step(p, queue[0]); err != nil {
			return history.Failed, err
		}
	}
}

// f14Step runs the step that a message is for, and sends the next one its message.
func f14Step(p *proc, message row) error {
	if p.broken {
		if err := p.remove(message); err != nil {
			return err
		}
	}
	steps := p.jobs[0].intents
	i := steps[message.Count]
	a := p.send(request{tool: i.Tool, key: i.ID, body: changeOf(i)})
	if !a.applied() {
		return a.err()
	}
	return p.commit("T-1", "step "+i.Tool+" is complete", func(w *world) error {
		if !p.broken {
			if err := w.remove(message); err != nil {
				return err
			}
		}
		if _, err := w.insert(row{Table: "step", ID: i.ID, Run: "T-1", Intent: i.ID, State: done, Record: a.record}); err != nil {
			return err
		}
		if message.Count+1 == len(steps) {
			return nil
		}
		next := row{Table: "message", ID: "for " + steps[message.Count+1].Tool, Count: message.Count + 1}
		_, err := w.insert(next)
		return err
	})
}
