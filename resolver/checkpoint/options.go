package checkpoint

import (
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// DefaultBusyTimeout is how long a SQLite store waits for another process to finish its transaction.
const DefaultBusyTimeout = 5 * time.Second

// Options is what a store is built with.
type Options struct {
	// Clock is the source of every time that is stored or compared. Required: a nil one panics.
	Clock resolver.Clock
	// Alive tells whether the holder of a lease still runs. Nil means Alive, this host's process table.
	Alive func(resolver.Holder) bool
	// Unencoded makes a Memory keep states as they are instead of as texts: for a search, which saves the
	// same few states a million times. SQLite ignores it.
	Unencoded bool
	// BusyTimeout bounds the wait for another process's transaction; zero means DefaultBusyTimeout. It
	// is spent inside the database, so it is the one wait that the Clock doesn't see. Memory ignores it.
	BusyTimeout time.Duration
}

func (o Options) filled() Options {
	if o.Clock == nil {
		panic("checkpoint: Options.Clock is nil")
	}
	if o.Alive == nil {
		o.Alive = Alive
	}
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = DefaultBusyTimeout
	}
	return o
}

// now is the clock's time without the reading of a monotonic clock, which no store can keep.
func (o Options) now() time.Time { return o.Clock.Now().Round(0) }
