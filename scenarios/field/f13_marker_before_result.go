package field

import (
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
)

// F13: https://github.com/langchain-ai/langgraph/issues/8039
//
// A graph runtime gave the results of a finished node and the checkpoint that supersedes them to a pool
// of threads without an order. A kill between the two left either the results without the checkpoint,
// which is fine, or the checkpoint without the results: the node had not run, as far as the resumed
// graph could see, and ran again. Its key names the checkpoint that it runs under, which is another one
// by then.
//
// Class: checkpoint ordering. Right: the result first, then the marker that speaks of it.
func f13() report {
	return report{
		id: "F13", doc: "results and checkpoint are persisted in no fixed order",
		link:    "https://github.com/langchain-ai/langgraph/issues/8039",
		profile: "replay-all", faults: []string{"lose-response"}, expect: "double-write",
		jobs: oneRefund(), operations: "result",
		first: []row{{Table: "checkpoint", ID: "thread-1", Count: 1}},
		live:  f13Live,
	}
}

func f13Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	checkpoint, _, err := p.find("checkpoint", "thread-1")
	if err != nil {
		return history.Failed, err
	}
	_, ran, err := p.find("result", "T-1")
	if err != nil {
		return history.Failed, err
	}
	if !ran {
		if err := f13Node(p, checkpoint); err != nil {
			return history.Failed, err
		}
	} else if checkpoint.Count == 1 {
		checkpoint.Count++
		if err := p.update(checkpoint); err != nil {
			return history.Failed, err
		}
	}
	return p.end("T-1", done)
}

// f13Node runs the node and persists that it ran.
func f13Node(p *proc, checkpoint row) error {
	i := p.jobs[0].intents[0]
	a := p.send(request{tool: "refund", key: fmt.Sprintf("%s/checkpoint-%d", checkpoint.ID, checkpoint.Count), body: changeOf(i)})
	if !a.applied() {
		return a.err()
	}
	checkpoint.Count++
	writes := []func() error{
		func() error {
			_, err := p.insert(row{Table: "result", ID: "T-1", Run: "T-1", Intent: i.ID, State: done, Record: a.record})
			return err
		},
		func() error { return p.update(checkpoint) },
	}
	if p.broken {
		slices.Reverse(writes)
	}
	for _, write := range writes {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}
