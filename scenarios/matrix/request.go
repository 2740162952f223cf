// Package matrix runs strategies against crash points and counts, for each approved action, what happened
// outside the process.
//
// It imports explorer and scenarios.
package matrix

import (
	"context"
	"io"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
	"github.com/paytwice/paytwice/scenarios"
)

// Modes of running a plan.
const (
	Kill     = "kill"
	Simulate = "simulate"
)

// Request says what to fill.
type Request struct {
	// Settings are the combinations of ticket, strategy and provider, in the order of the cells.
	Settings []scenarios.Setting
	// Points are lesson names, points' own names, or "all".
	Points  []string
	Mode    string
	Seed    int64
	Workers int
	// Timeout is for one incarnation: a process is ended and judged, and a life in memory, which can't be ended,
	// ends the run with *explorer.StuckError. 0 means 30 seconds for processes, and nothing is watched in memory.
	Timeout time.Duration
	// Shard is the part to fill. A matrix of as many settings as shards, or more, is dealt out by settings,
	// so that each is opened once; a smaller one by plans.
	Shard parts.Shard
	// Have are the cases that are filled already: they are taken as they are.
	Have []parts.Piece[history.Cell]
	// Progress is told after each cell's plan, from one goroutine at a time. Until all settings were looked at,
	// total is an estimate.
	Progress func(done, total int)
	// Watch is told each plan's history and which cells of the matrix are counted from it, cells first up to
	// last, in no order, from one goroutine at a time. Nil if nobody watches.
	Watch func(first, last int, h history.History)
}

// Result is the filled matrix, or, of a shard or where the context ended, a part of it: then its LeftOut says
// what is missing.
type Result struct {
	Matrix history.Matrix
	// Unfilled are the points that no strategy passes, of the settings that were opened.
	Unfilled []string
	// Cases are those of the matrix's cells, in their order.
	Cases []history.Case
}

// World opens the world of a setting in a mode. The closer is never nil.
func World(ctx context.Context, sc scenarios.Scenario, s scenarios.Setting, mode string, o scenarios.KillOptions) (explorer.World, io.Closer, error) {
	if mode == Simulate {
		w, err := sc.Simulate(s)
		return w, nothing{}, err
	}
	if sc.Program == nil {
		return nil, nothing{}, &NoProcessError{sc.Name}
	}
	p, err := sc.Program(s)
	if err != nil {
		return nil, nothing{}, err
	}
	w, err := scenarios.NewKilled(ctx, p, o)
	if err != nil {
		return nil, nothing{}, err
	}
	return w, w, nil
}

// Watched returns the time after which the explorer is to leave a life of World's behind; 0 where the world ends
// such a life by itself.
func Watched(mode string, timeout time.Duration) time.Duration {
	if mode == Kill {
		return 0
	}
	return timeout
}

type nothing struct{}

func (nothing) Close() error { return nil }

// NoProcessError is returned when a scenario that lives in memory only is to be killed for real.
type NoProcessError struct{ Scenario string }

func (e *NoProcessError) Error() string {
	return e.Scenario + " has no form as a process, so it can't be killed for real: leave out --mode kill"
}
