package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// The durable texts: the finished orders with the one begun, and one id a line for each charge.
const (
	ProgressFile = "progress.json"
	ChargesFile  = "charges.log"
)

// Orders returns the ids of the orders to charge, in order.
func Orders() []string { return []string{"C1", "C2", "C3", "C4", "C5"} }

// Form says which precautions the program takes.
type Form struct {
	// Progress: it writes down which orders are finished and which one is begun.
	Progress bool
	// Key: before it charges an order it looks whether the order's id is in the log.
	Key bool
}

// Progress is what the progress file holds.
type Progress struct {
	Finished []string `json:"finished"`
	Begun    string   `json:"begun,omitempty"`
}

// batch is one life of the program.
type batch struct {
	Form
	*scenarios.Hands
	progress Progress
}

// live charges the orders that are not finished, one after the other.
func (f Form) live(ctx context.Context, h *scenarios.Hands) (history.End, error) {
	b := &batch{Form: f, Hands: h}
	if err := b.load(ctx); err != nil {
		return history.Failed, err
	}
	for _, id := range Orders() {
		if slices.Contains(b.progress.Finished, id) {
			continue
		}
		if err := b.step(ctx, id); err != nil {
			return history.Failed, fmt.Errorf("order %s: %w", id, err)
		}
	}
	return history.Done, nil
}

// step writes "begun" before an order and "finished" after it, so that a restart can tell an order that
// was never begun from one that was cut off.
func (b *batch) step(ctx context.Context, id string) error {
	b.progress.Begun = id
	if err := b.save(ctx); err != nil {
		return err
	}
	if err := b.charge(ctx, id); err != nil {
		return err
	}
	b.progress.Finished, b.progress.Begun = append(slices.Clone(b.progress.Finished), id), ""
	return b.save(ctx)
}

func (b *batch) load(ctx context.Context) error {
	if !b.Form.Progress {
		return nil
	}
	var err error
	b.progress, err = scenarios.Local(ctx, b.Hands, faults.Site{Seam: "progress", Operation: "load"},
		scenarios.Told[Progress]{After: func(e *history.Event, p Progress, _ error) { e.Loaded = p.saved() }},
		func(ctx context.Context) (Progress, error) {
			return scenarios.ReadValue[Progress](ctx, b.Texts, ProgressFile)
		})
	return err
}

func (b *batch) save(ctx context.Context) error {
	if !b.Form.Progress {
		return nil
	}
	saved := b.progress.saved()
	_, err := scenarios.Local(ctx, b.Hands, faults.Site{Seam: "progress", Operation: "save"},
		scenarios.Told[struct{}]{Before: func(e *history.Event) { e.Saved = saved }},
		func(ctx context.Context) (struct{}, error) {
			return struct{}{}, scenarios.UpdateValue(ctx, b.Texts, ProgressFile, func(p *Progress) error {
				*p = b.progress
				return nil
			})
		})
	return err
}

// charge adds the order to the log, which is the money leaving the customer.
func (b *batch) charge(ctx context.Context, id string) error {
	key := ""
	if b.Key {
		key = id
		if charged, err := b.charged(ctx, id); err != nil || charged {
			return err
		}
	}
	request := &history.Request{Write: true, Intent: id, Key: key, What: "charge " + id, Payload: id}
	_, err := scenarios.Local(ctx, b.Hands, faults.Site{Seam: "log", Operation: "charge"},
		scenarios.Told[struct{}]{
			Before: func(e *history.Event) { e.Request = request },
			After: func(e *history.Event, _ struct{}, err error) {
				if err == nil {
					e.Answer = history.Applied
				}
			}},
		func(ctx context.Context) (struct{}, error) {
			return struct{}{}, b.Texts.Append(ctx, ChargesFile, id+"\n")
		})
	return err
}

// charged looks for the order's id in the log.
func (b *batch) charged(ctx context.Context, id string) (bool, error) {
	request := &history.Request{Ask: true, Intent: id, Key: id, What: "was " + id + " charged?"}
	return scenarios.Local(ctx, b.Hands, faults.Site{Seam: "log", Operation: "read"},
		scenarios.Told[bool]{
			Before: func(e *history.Event) { e.Request = request },
			After: func(e *history.Event, found bool, err error) {
				switch {
				case err != nil:
				case found:
					e.Answer = history.Found
				default:
					e.Answer = history.NotFound
				}
			}},
		func(ctx context.Context) (bool, error) {
			text, _, err := b.Texts.Read(ctx, ChargesFile)
			return slices.Contains(strings.Fields(text), id), err
		})
}

// saved returns what the progress file says, as the judge knows it.
func (p Progress) saved() *history.Saved {
	s := &history.Saved{Run: "batch", Status: "running", Step: len(p.Finished)}
	if len(p.Finished) == len(Orders()) {
		s.Status = check.StatusDone
	}
	for _, id := range p.Finished {
		s.Operations = append(s.Operations, history.Operation{ID: id, Status: history.OperationDone})
	}
	if p.Begun != "" {
		s.Operations = append(s.Operations, history.Operation{ID: p.Begun, Status: history.OperationPending})
	}
	return s
}
