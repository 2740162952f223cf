package scenarios

import (
	"context"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// Machine is a program with everything durable around it, in memory. It belongs to one goroutine at a
// time.
type Machine interface {
	// Snapshot returns the durable state, Restore puts it back. Both are cheap.
	Snapshot() Durable
	Restore(Durable)
	// Live runs one incarnation to its own end. A crash leaves it by a panic.
	Live(ctx context.Context, seat *seams.Seat, incarnation int) (history.End, error)
	// Deliver carries out a write that arrives late.
	Deliver(ctx context.Context, site faults.Site, payload any) error
	// Happen makes a change of the world by somebody else, by its name.
	Happen(ctx context.Context, name string) error
	// Accepts reports whether a fault means something at a site.
	Accepts(site faults.Site, verb faults.Verb) bool
}

// Durable is a durable state, immutable and held by a pointer: one address, one state.
type Durable interface {
	// Canonical is the state's identity at a moment: without the names of times, versions and tokens.
	Canonical(now time.Time) string
	// Outcome is what the judge has to know of it.
	Outcome(now time.Time) *check.Outcome
}

// Clock is the virtual clock of one machine: it moves only when somebody waits. A write that is due while
// it moves arrives then.
//
// Concurrency: the time may be read from any goroutine; one moves it.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	arrived func(until time.Time)
	// waited is told of every wait before it moves the clock; nil if nobody counts them.
	waited func()
}

// NewClock returns a clock that stands at a time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Today is where every virtual clock starts: the course's day.
var Today = time.Date(2026, time.October, 9, 17, 0, 0, 0, time.FixedZone("", -4*60*60))

// RestartDelay is how long after a kill the next incarnation starts.
const RestartDelay = time.Second

// Now returns the virtual time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// set moves the clock without anything arriving.
func (c *Clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Wait moves the clock.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.waited != nil {
		c.waited()
	}
	until := c.Now().Add(d)
	if c.arrived != nil {
		c.arrived(until)
	}
	c.set(until)
	return nil
}
