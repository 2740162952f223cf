package provider

import (
	"sync"
	"time"
)

// Payload is what a request to a Double asks for.
type Payload struct {
	// Kind is charge or refund.
	Kind        string `json:"kind"`
	Order       string `json:"order"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// The kinds of change that a Double makes.
const (
	Charge = "charge"
	Refund = "refund"
)

// Double is a payment provider in memory, for tests: it treats repeats as its profile says, keeps the
// ledger that a test judges, and speaks HTTP ([Double.Handler]). It makes no promise about cards.
//
// Rules: amounts are above 0; the refunds of an order that was charged here never exceed its charges. An
// order that was not charged here may be refunded freely, so that a test need not charge first.
//
// Concurrency: safe; each request is one transaction.
type Double struct {
	engine Engine[Payload]

	mu    sync.Mutex
	state State[Payload]
}

// NewDouble returns a provider of a profile. A nil now is a clock that stands still; pass time.Now where
// key lifetimes and lags are to pass by themselves.
func NewDouble(p Profile, now func() time.Time) *Double {
	if now == nil {
		now = func() time.Time { return time.Time{} }
	}
	return &Double{engine: Engine[Payload]{Profile: p, Now: now}}
}

// Profile returns what the provider is a double of.
func (d *Double) Profile() Profile { return d.engine.Profile }

// Do answers one request.
//
// Errors: those of Engine.Do.
func (d *Double) Do(key string, p Payload, k Knobs) (Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := d.state
	answer, err := d.engine.Do(&next, Request[Payload]{Key: key, Tool: p.Kind, Payload: p, Knobs: k}, rules(&next))
	if err == nil {
		d.state = next
	}
	return answer, err
}

// Begin takes a request on: its key is in flight until finish is called, at most once. finish is nil when the
// answer is there at once.
//
// Errors: those of Engine.Begin, and of finish those of Engine.Finish.
func (d *Double) Begin(key string, p Payload, k Knobs) (finish func() (Answer, error), answer Answer, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := d.state
	claim, answer, err := d.engine.Begin(&next, Request[Payload]{Key: key, Tool: p.Kind, Payload: p, Knobs: k})
	if err != nil {
		return nil, answer, err
	}
	d.state = next
	if claim == nil {
		return nil, answer, nil
	}
	return func() (Answer, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		next := d.state
		answer, err := d.engine.Finish(&next, claim, rules(&next))
		if err == nil {
			d.state = next
		}
		return answer, err
	}, Answer{}, nil
}

// Find returns the change made under a key or request name that a look-up shows now.
//
// Errors: ErrNoLookup.
func (d *Double) Find(name string, k Knobs) (Effect[Payload], bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.engine.Find(&d.state, name, k)
}

// Recent returns the changes of an order, or all with an empty one, that a look-up shows now.
//
// Errors: ErrNoLookup.
func (d *Double) Recent(order string, k Knobs) ([]Effect[Payload], error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all, err := d.engine.Recent(&d.state, k)
	if err != nil || order == "" {
		return all, err
	}
	var out []Effect[Payload]
	for _, e := range all {
		if e.Payload.Order == order {
			out = append(out, e)
		}
	}
	return out, nil
}

// Cancel takes back what was made under a key, where the profile offers it.
func (d *Double) Cancel(key string) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := d.state
	n, err := d.engine.Cancel(&next, key)
	if err == nil {
		d.state = next
	}
	return n, err
}

// Ledger returns every change, oldest first, those taken back included.
func (d *Double) Ledger() []Effect[Payload] { return d.Snapshot().Ledger }

// Received counts the write requests that arrived on the wire, whatever became of them: Go's own transport
// sends some of them again.
func (d *Double) Received() int {
	n := 0
	for _, r := range d.Snapshot().Received {
		n += r.Count
	}
	return n
}

// Snapshot returns what the provider remembers. Nothing changes it afterwards.
func (d *Double) Snapshot() State[Payload] {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// Restore puts the provider back to a snapshot.
func (d *Double) Restore(s State[Payload]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = s
}
