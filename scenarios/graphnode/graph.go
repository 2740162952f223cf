package graphnode

import (
	"context"
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// CheckpointFile is where the graph keeps its thread.
const CheckpointFile = "graph.sqlite"

// Statuses of a thread.
const (
	statusRunning = "running"
	statusPaused  = "waiting_approval"
	statusResumed = "executing"
	statusDone    = check.StatusDone
)

// thread is the checkpoint of one run of the graph: where it stands, what the person answered, and what
// the node returned.
type thread struct {
	Status string `json:"status"`
	Answer string `json:"answer,omitempty"`
	Record string `json:"record,omitempty"`
}

// errPaused ends a run of the node at its pause.
var errPaused = errors.New("paused for a person")

// graph is one life of the program: it runs the node until the thread is done.
type graph struct {
	Form
	*scenarios.Hands
	thread thread
	calls  int
}

func (f Form) live(ctx context.Context, h *scenarios.Hands) (history.End, error) {
	g := &graph{Form: f, Hands: h}
	if err := g.load(ctx); err != nil {
		return history.Failed, err
	}
	for g.thread.Status != statusDone {
		if err := g.advance(ctx); err != nil {
			return history.Failed, err
		}
	}
	return history.Done, nil
}

// advance takes the thread one step on: it begins, is resumed with the person's answer, or runs its node.
func (g *graph) advance(ctx context.Context) error {
	switch g.thread.Status {
	case "":
		return g.save(ctx, "checkpoint", "save", thread{Status: statusRunning})
	case statusPaused:
		// The person's answer is given by rule. It is saved before the node sees it.
		return g.save(ctx, "checkpoint", "save", thread{Status: statusResumed, Answer: "yes"})
	}
	record, err := g.runNode(ctx)
	if errors.Is(err, errPaused) {
		return nil
	}
	if err != nil {
		return err
	}
	done := g.thread
	done.Status, done.Record = statusDone, record
	return g.save(ctx, "checkpoint", "save", done)
}

// runNode runs the node from its start, wherever its last run ended.
func (g *graph) runNode(ctx context.Context) (string, error) {
	return scenarios.Local(ctx, g.Hands, faults.Site{Seam: "node", Operation: "run"},
		scenarios.Told[string]{After: func(e *history.Event, _ string, err error) {
			if errors.Is(err, errPaused) {
				e.Answer = "paused"
			}
		}}, g.node)
}

// node refunds and asks a person, in the order that its form says.
func (g *graph) node(ctx context.Context) (record string, err error) {
	if !g.WriteAfter {
		if record, err = g.refund(ctx); err != nil {
			return "", err
		}
	}
	if _, err := g.pause(ctx); err != nil {
		return "", err
	}
	if g.WriteAfter {
		return g.refund(ctx)
	}
	return record, nil
}

// pause returns the person's answer. While there is none it leaves the thread waiting and ends the run of
// the node with errPaused.
func (g *graph) pause(ctx context.Context) (string, error) {
	if g.thread.Answer != "" {
		return g.thread.Answer, nil
	}
	if err := g.save(ctx, "node", "pause", thread{Status: statusPaused}); err != nil {
		return "", err
	}
	return "", errPaused
}

func (g *graph) load(ctx context.Context) error {
	var err error
	g.thread, err = scenarios.Local(ctx, g.Hands, faults.Site{Seam: "checkpoint", Operation: "load"},
		scenarios.Told[thread]{After: func(e *history.Event, t thread, _ error) { e.Loaded = t.saved() }},
		func(ctx context.Context) (thread, error) {
			return scenarios.ReadValue[thread](ctx, g.Texts, CheckpointFile)
		})
	return err
}

func (g *graph) save(ctx context.Context, seam, operation string, next thread) error {
	saved := next.saved()
	_, err := scenarios.Local(ctx, g.Hands, faults.Site{Seam: seam, Operation: operation},
		scenarios.Told[struct{}]{Before: func(e *history.Event) { e.Saved = saved }},
		func(ctx context.Context) (struct{}, error) {
			return struct{}{}, scenarios.UpdateValue(ctx, g.Texts, CheckpointFile, func(t *thread) error {
				*t = next
				return nil
			})
		})
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	g.thread = next
	return nil
}

// saved returns what the checkpoint says, as the judge knows it. The answer approves the refund.
func (t thread) saved() *history.Saved {
	s := &history.Saved{Run: "graph", Status: t.Status}
	if t.Answer != "" {
		s.Approval, s.Approved = "answer "+t.Answer, []history.Intent{intent()}
	}
	if t.Status == statusDone {
		s.Operations = []history.Operation{{ID: intent().ID, Status: history.OperationDone, RecordID: t.Record}}
	}
	return s
}
