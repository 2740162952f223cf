package faults

import (
	"errors"
	"sync"
)

// ErrCrashed is returned by every seam once a simulated crash has struck: deferred clean-up still runs
// after a panic, and a dead process writes nothing.
var ErrCrashed = errors.New("the process has crashed")

// Options of an injector. The zero value injects its life and tells nobody.
type Options struct {
	// Crash ends the life at a point and does not return: a panic that Catch recovers (the default) or
	// KillSelf.
	Crash func(Point)
	// Pass is told of every point as it is passed, before anything is injected there.
	Pass func(Point)
	// Paused is called at a pause, instead of going on at once.
	Paused func(Event)
	// DuringElsewhere says that during and during-lost are decided on the other side of the seam, in
	// another process: this side neither passes nor strikes there.
	DuringElsewhere bool
}

// Injector is armed with one life of a plan and decides at each point what happens there.
//
// Concurrency: safe; calls of one site are numbered in the order in which they enter.
// Determinism: depends on the order of calls alone.
type Injector struct {
	life Life
	opts Options

	mu     sync.Mutex
	counts map[Site]int
	fired  []bool
	dead   bool
}

// NewInjector returns an injector armed with a life.
func NewInjector(life Life, opts Options) *Injector {
	if opts.Crash == nil {
		opts.Crash = func(p Point) { panic(&crash{p}) }
	}
	return &Injector{life: life, opts: opts, counts: map[Site]int{}, fired: make([]bool, len(life))}
}

// Call is one call on a seam, on its way past its points.
type Call struct {
	in   *Injector
	site Site
	n    int
}

// Enter numbers a call of a site. After a crash it returns ErrCrashed, and the call must not be made.
func (in *Injector) Enter(site Site) (Call, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.dead {
		return Call{}, ErrCrashed
	}
	in.counts[site]++
	return Call{in, site, in.counts[site]}, nil
}

// N returns the number of the call, from 1.
func (c Call) N() int { return c.n }

// Point returns a position around the call.
func (c Call) Point(p Position) Point { return Point{c.site, p, c.n} }

// At passes one position: a kill planned there ends the life, a pause waits.
func (c Call) At(pos Position) {
	in, p := c.in, c.Point(pos)
	if in.opts.DuringElsewhere && (pos == During || pos == DuringLost) {
		return
	}
	if in.opts.Pass != nil {
		in.opts.Pass(p)
	}
	if e, ok := in.strike(p, Pause); ok && in.opts.Paused != nil {
		in.opts.Paused(e)
	}
	if _, ok := in.strike(p, Kill); ok {
		in.mu.Lock()
		in.dead = true
		in.mu.Unlock()
		in.opts.Crash(p)
	}
}

// Fault returns the fault other than a kill or a pause that strikes this call, if one is planned.
func (c Call) Fault() (Event, bool) {
	if c.in.opts.DuringElsewhere {
		return Event{}, false
	}
	return c.in.strike(c.Point(During), LoseRequest, LoseResponse, DeliverLate, Unavailable, Refuse, Lag)
}

// strike returns the planned event of one of the verbs at a point, and marks it as fired.
func (in *Injector) strike(p Point, verbs ...Verb) (Event, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, e := range in.life {
		if e.Point != p || in.fired[i] {
			continue
		}
		for _, v := range verbs {
			if e.Verb == v {
				in.fired[i] = true
				return e, true
			}
		}
	}
	return Event{}, false
}

// Unreached returns the events of the life that stand at a point and have not struck.
func (in *Injector) Unreached() []Event {
	in.mu.Lock()
	defer in.mu.Unlock()
	var out []Event
	for i, e := range in.life {
		if e.Verb.AtPoint() && !in.fired[i] {
			out = append(out, e)
		}
	}
	return out
}

// Dead reports whether a crash has struck.
func (in *Injector) Dead() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.dead
}
