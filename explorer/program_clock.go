package explorer

import (
	"sync"
	"time"
)

// firstDay is when the first life of a program begins.
var firstDay = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// clock is the provider's during one life. It goes on with real time in whole seconds, counted from the
// beginning of Run: a life that waits for nothing takes no time, and so leaves the same state each time.
type clock struct {
	from time.Time

	mu    sync.Mutex
	begun time.Time
}

// begin starts the clock, unless it runs.
func (c *clock) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun.IsZero() {
		c.begun = time.Now()
	}
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun.IsZero() {
		return c.from
	}
	return c.from.Add(time.Since(c.begun).Truncate(time.Second))
}
