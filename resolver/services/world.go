package services

import (
	"context"
	"slices"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// Config says what the services know and how they treat repeats.
type Config struct {
	// Data is what they hold before the first change; nil means larkfield.Dataset. A file brings its own.
	Data *larkfield.Data
	// Policy is what search_policy searches; nil means larkfield.Policy.
	Policy []resolver.Passage
	// Profile stands for payment and warehouse alike; the zero value is provider.Larkfield.
	Profile provider.Profile
	// Now is the services' clock. It must be set.
	Now func() time.Time
	// Failed is told when a file could not be read or written, beside the error that the caller gets. For
	// who calls a service an error is an answer that didn't come; for who runs a command it is the end.
	Failed func(error)
}

// World is the practice services over one store. [Memory] and [File] are the two there are.
//
// Concurrency: any number of callers; each call is one transaction.
type World struct {
	store  store
	engine *provider.Engine[resolver.Action]
	policy *policyIndex
}

func newWorld(s store, c Config) *World {
	if c.Now == nil {
		panic("services: Config.Now is not set")
	}
	if c.Profile == (provider.Profile{}) {
		c.Profile = provider.Larkfield()
	}
	// One form of every time, so that a time read from a file equals the one that was written.
	now := func() time.Time { return c.Now().Round(0).UTC() }
	return &World{
		store:  s,
		engine: &provider.Engine[resolver.Action]{Profile: c.Profile, Now: now},
		policy: &policyIndex{passages: c.Policy},
	}
}

// Caller is who uses the services: a ticket's run, or a colleague.
type Caller struct {
	TicketID string
	// RunID keeps the faults of two runs of a ticket apart; empty means the ticket's name.
	RunID string
	// Faults are the practice faults that strike this caller. Which of them were used is recorded with
	// the services, under RunID.
	Faults []Fault
}

func (c Caller) run() string {
	if c.RunID == "" {
		return c.TicketID
	}
	return c.RunID
}

// Services returns the services as one caller sees them.
func (w *World) Services(c Caller) resolver.Services {
	d := desk{world: w, caller: c}
	return resolver.Services{
		Orders:    d,
		Payment:   payment{register{desk: d, tools: paymentTools}},
		Warehouse: warehouse{register{desk: d, tools: warehouseTools}},
		Tickets:   d,
		Policy:    d,
	}
}

// desk serves one caller.
type desk struct {
	world  *World
	caller Caller
}

var (
	paymentTools   = []resolver.Tool{resolver.RequestRefund}
	warehouseTools = []resolver.Tool{resolver.ReshipItem, resolver.CreateReturnLabel}
)

// Changes returns the changes since the reset that stand, oldest first. Ticket notes and the rows older
// than the course's day are not among them, nor is a change that was taken back.
func (w *World) Changes(ctx context.Context) ([]resolver.Change, error) {
	ledger, err := w.Ledger(ctx)
	if err != nil {
		return nil, err
	}
	now := w.engine.Now()
	ledger = slices.DeleteFunc(slices.Clone(ledger), func(e Effect) bool { return !e.Stands(now) })
	return changes(ledger), nil
}

// Effect is one line of the ledger: a change, whether it still stands or not.
type Effect = provider.Effect[resolver.Action]

// Ledger returns every change since the reset, oldest first, those taken back included. The caller
// leaves the slice as it is.
func (w *World) Ledger(ctx context.Context) ([]Effect, error) {
	var ledger []Effect
	err := w.store.view(ctx, func(t tables) (err error) {
		ledger, err = t.Effects()
		return err
	})
	return ledger, err
}

// Cancel takes back what was made under a key, on a profile that offers it, and returns how many
// changes that were. None is no error: a request still on its way applies when it arrives.
func (w *World) Cancel(ctx context.Context, key string) (n int, err error) {
	err = w.store.update(ctx, func(t tables) (err error) {
		n, err = w.engine.Cancel(t, key)
		return err
	})
	return n, err
}

// FailLatest takes back the latest change that stands: it was confirmed, and fails all the same. None is
// no error.
func (w *World) FailLatest(ctx context.Context) error {
	return w.store.update(ctx, func(t tables) error {
		ledger, err := t.Effects()
		if err != nil {
			return err
		}
		now := w.engine.Now()
		for _, e := range slices.Backward(ledger) {
			if e.Stands(now) {
				e.ReversedAt = now
				return t.Reverse(e)
			}
		}
		return nil
	})
}

// changes returns ledger lines as the services show them.
func changes(ledger []Effect) []resolver.Change {
	out := make([]resolver.Change, len(ledger))
	for i, e := range ledger {
		out[i] = change(e)
	}
	return out
}

func change(e Effect) resolver.Change {
	c := resolver.Change{
		RecordID: e.Record, OperationID: e.Operation, TicketID: e.Caller, Action: e.Payload, At: e.At,
	}
	if e.Payload.Tool == resolver.RequestRefund {
		c.Currency = resolver.Currency
	}
	return c
}
