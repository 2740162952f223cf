package explorer

import (
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/faults"
)

// Options bound and steer a search.
type Options struct {
	// Crashes is how many faults a plan may have, kills and others together.
	Crashes int
	// Faults are the faults beside the kill that a plan may use: an event without its point.
	Faults []faults.Event
	// Settings are what the judge has to know.
	Settings check.Settings
	// MaxRuns and MaxStates bound the incarnations and the states; 0 means the default. Reaching one
	// ends the search undecided.
	MaxRuns   int
	MaxStates int
	// MaxLives bounds how often a program is started again after the last fault; reaching it is a
	// never-ends violation.
	MaxLives int
	// Workers is how many incarnations run at once; the result does not depend on it.
	Workers int
	// Timeout ends a search or a replay with a *StuckError when one run of a life takes longer, and with a
	// *GoneError when one ends its goroutine: for worlds in memory, whose lives nobody can end from outside. 0 means
	// that nothing is watched.
	Timeout time.Duration
	// Once leaves out the second run of every incarnation.
	Once bool
	// Over reports that the time budget is used up; nil means that there is none.
	Over func() bool
	// Progress is told how far the search is, from one goroutine.
	Progress func(Progress)
	// Budget is only said in messages; Over decides.
	Budget time.Duration
}

// Progress is how far a search is.
type Progress struct {
	Crashes int
	Runs    int
	States  int
	Queued  int
}

// The bounds where Options names none.
const (
	DefaultMaxRuns   = 1_000_000
	DefaultMaxStates = 200_000
	DefaultMaxLives  = 16
)

func (o Options) withDefaults() Options {
	if o.MaxRuns == 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	if o.MaxStates == 0 {
		o.MaxStates = DefaultMaxStates
	}
	if o.MaxLives == 0 {
		o.MaxLives = DefaultMaxLives
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	return o
}
