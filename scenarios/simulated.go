package scenarios

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// Simulated is the world in memory: the crash unwinds the life, and once it has struck every seam refuses
// further calls. It implements explorer.World.
type Simulated struct {
	build func(*Clock) Machine
	free  sync.Pool
	// lag is how much more a look-up may lag than the service says, in the faults of a search.
	lag time.Duration
}

// NewSimulated returns a world of machines that build makes, one for each incarnation under way at once.
func NewSimulated(build func(*Clock) Machine) *Simulated { return &Simulated{build: build} }

// Foresee implements explorer.Foresighted.
func (w *Simulated) Foresee(f []faults.Event) { w.lag = longestLag(f) }

func longestLag(f []faults.Event) time.Duration {
	var lag time.Duration
	for _, e := range f {
		if e.Verb == faults.Lag {
			lag = max(lag, e.Duration)
		}
	}
	return lag
}

// canonicalOf returns a durable state's identity when look-ups may lag more than the service says.
func canonicalOf(d Durable, now time.Time, lag time.Duration) string {
	if f, ok := d.(interface {
		CanonicalWithin(now time.Time, lag time.Duration) string
	}); ok && lag > 0 {
		return f.CanonicalWithin(now, lag)
	}
	return d.Canonical(now)
}

// bench is a machine with its clock.
type bench struct {
	machine Machine
	clock   *Clock
	// events and points count those of the latest life: the next one mostly has as many.
	events, points int
}

func (w *Simulated) take() *bench {
	if b, ok := w.free.Get().(*bench); ok {
		return b
	}
	clock := NewClock(Today)
	return &bench{machine: w.build(clock), clock: clock}
}

// simState is the durable state between two incarnations of a simulation.
type simState struct {
	durable Durable
	now     time.Time
	late    []parcel
	// lives counts the processes so far; it names them and is no part of the identity.
	lives int
	lag   time.Duration

	once sync.Once
	key  string
}

// parcel is a write under way that arrives later.
type parcel struct {
	due     time.Time
	site    faults.Site
	payload any
}

// Key implements explorer.State.
func (s *simState) Key() string {
	s.once.Do(func() {
		var late []string
		for _, p := range s.late {
			late = append(late, fmt.Sprintf("%s %v in %s", p.site, p.payload, p.due.Sub(s.now)))
		}
		s.key = identity(s.durable, s.now, s.lag, late)
	})
	return s.key
}

// identity returns a digest of a durable state and what is still under way, the same in both modes: a search
// keeps many states, and their texts would fill the memory.
func identity(d Durable, now time.Time, lag time.Duration, late []string) string {
	h := sha256.New()
	io.WriteString(h, canonicalOf(d, now, lag))
	for _, l := range late {
		io.WriteString(h, "\nlate "+l)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Start implements explorer.World.
func (w *Simulated) Start(context.Context) (explorer.State, error) {
	clock := NewClock(Today)
	return &simState{durable: w.build(clock).Snapshot(), now: Today, lag: w.lag}, nil
}

// Accepts implements explorer.World.
func (w *Simulated) Accepts(site faults.Site, verb faults.Verb) bool {
	b := w.take()
	defer w.free.Put(b)
	return b.machine.Accepts(site, verb)
}

// Run implements explorer.World.
func (w *Simulated) Run(ctx context.Context, from explorer.State, life faults.Life) (explorer.Incarnation, error) {
	b := w.take()
	defer w.free.Put(b)
	l := &simLife{ctx: ctx, bench: b, from: from.(*simState)}
	inc, err := l.run(life)
	b.events, b.points = len(inc.Life.Events), len(inc.Points)
	return inc, err
}

// Outcome implements explorer.World. What is still under way arrives first.
func (w *Simulated) Outcome(ctx context.Context, s explorer.State) (*check.Outcome, error) {
	st := s.(*simState)
	if len(st.late) == 0 {
		return st.durable.Outcome(st.now), nil
	}
	b := w.take()
	defer w.free.Put(b)
	l := &simLife{ctx: ctx, bench: b, from: st}
	l.begin()
	last := st.now
	for _, p := range l.late {
		last = latest(last, p.due)
	}
	if err := b.clock.Wait(ctx, last.Sub(st.now)); err != nil {
		return nil, err
	}
	return b.machine.Snapshot().Outcome(b.clock.Now()), l.failed
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// simLife is one incarnation under way.
type simLife struct {
	ctx context.Context
	*bench
	from   *simState
	late   []parcel
	inc    explorer.Incarnation
	failed error
	// process is the one that lives now: 0 for the one the plan is about. others counts the others so far.
	process int
	others  int
	// latest is the state at the latest point; where nothing changed since, it is the next one's, too.
	latest *simState
	// resumers counts the other processes still to come; leased says that the first has its lease.
	resumers int
	leased   bool
	// done counts the calls and the waits of all processes.
	done int
}

// begin puts the machine and its clock into the state.
func (l *simLife) begin() {
	l.clock.set(l.from.now)
	l.clock.arrived, l.clock.waited = l.arrive, l.act
	l.late = l.from.late
	l.machine.Restore(l.from.durable)
	l.arrive(l.clock.Now())
}

// arrive delivers, in order, what is due by a moment.
func (l *simLife) arrive(until time.Time) {
	for len(l.late) > 0 && !l.late[0].due.After(until) {
		p := l.late[0]
		l.late = l.late[1:]
		l.clock.set(latest(l.clock.Now(), p.due))
		if err := l.machine.Deliver(l.ctx, p.site, p.payload); err != nil && l.failed == nil {
			l.failed = fmt.Errorf("late delivery of %s: %w", p.site, err)
		}
	}
}

func (l *simLife) run(life faults.Life) (explorer.Incarnation, error) {
	l.begin()
	if err := l.prologue(life); err != nil {
		return l.inc, err
	}
	in := faults.NewInjector(life, faults.Options{Pass: l.pass, Paused: l.pause})
	var end history.End
	at, crashed, err := l.catch(in, func() (err error) {
		end, err = l.machine.Live(l.ctx, l.seat(in), l.from.lives+1)
		return err
	})
	l.clock.arrived, l.clock.waited = nil, nil
	switch {
	case l.failed != nil:
		return l.inc, l.failed
	case l.ctx.Err() != nil:
		return l.inc, l.ctx.Err()
	case l.isEndless():
		l.inc.Endless = whyEndless()
		l.inc.Life.Ended, l.inc.Life.Hung, l.inc.Life.Error = history.Failed, true, l.inc.Endless
	case errors.Is(err, faults.ErrCrashed):
		return l.inc, fmt.Errorf("the program went on after its crash: %w", err)
	case crashed:
		l.inc.Life.Ended, l.inc.Life.At = history.Killed, at.String()
		l.inc.Life.Events[len(l.inc.Life.Events)-1].Injected = string(faults.Kill)
	case err != nil:
		l.inc.Life.Ended, l.inc.Life.Error = history.Failed, err.Error()
	default:
		l.inc.Life.Ended = end
	}
	l.inc.Unreached = in.Unreached()
	if e, ok := resumersOf(life); ok && l.others == 0 {
		l.inc.Unreached = append(l.inc.Unreached, e)
	}
	l.inc.Next = l.state()
	return l.inc, nil
}

func (l *simLife) seat(in *faults.Injector) *seams.Seat {
	return &seams.Seat{Injector: in, Now: l.clock.Now, Record: l.record, Late: l.post}
}

// prologue does what the plan says happens before the life starts.
func (l *simLife) prologue(life faults.Life) error {
	for _, e := range life {
		switch e.Verb {
		case faults.Advance:
			if err := l.clock.Wait(l.ctx, e.Duration); err != nil {
				return err
			}
			l.record(advanced(e, l.clock.Now()))
		case faults.World:
			before := l.machine.Snapshot().Outcome(l.clock.Now())
			if err := l.machine.Happen(l.ctx, e.Name); err != nil {
				return err
			}
			for _, event := range happened(e.Name, before, l.machine.Snapshot().Outcome(l.clock.Now()), l.clock.Now()) {
				l.record(event)
			}
		case faults.Resumers:
			l.resumers = e.Count - 1
		}
	}
	return nil
}

// pass lets the other resumer live whose place this is, then takes the snapshot that a kill at the point
// would leave.
func (l *simLife) pass(p faults.Point) {
	if l.resumers > 0 {
		at := l.inc.Life.Events[len(l.inc.Life.Events)-1]
		got := !l.leased && hasLease(at)
		l.leased = l.leased || got
		if got || l.leased && isSave(at) {
			l.resumers--
			l.other()
		}
	}
	if l.inc.Points == nil {
		l.inc.Points = make([]explorer.Passage, 0, l.bench.points)
	}
	l.inc.Points = append(l.inc.Points, explorer.Passage{Point: p, Events: len(l.inc.Life.Events), State: l.state(), Pending: l.pending()})
}

// pending reports whether other resumers were planned and none has lived yet.
func (l *simLife) pending() bool { return l.resumers > 0 && l.others == 0 }

// other lives the life of another process, while the first one stands still.
func (l *simLife) other() {
	l.others++
	l.process = l.others
	in := faults.NewInjector(nil, faults.Options{})
	_, _, _ = l.catch(in, func() error {
		_, err := l.machine.Live(l.ctx, l.seat(in), l.from.lives+1+l.others)
		return err
	})
	l.process = 0
}

// state is the durable state now, as the next incarnation finds it.
func (l *simLife) state() *simState {
	durable, now, lives := l.machine.Snapshot(), l.clock.Now().Add(RestartDelay), l.from.lives+1+l.others
	if old := l.latest; old != nil && old.durable == durable && old.now.Equal(now) && sameLate(old.late, l.late) && old.lives == lives {
		return old
	}
	l.latest = &simState{durable: durable, now: now, late: l.late, lives: lives, lag: l.from.lag}
	return l.latest
}

func (l *simLife) record(e history.Event) {
	if e.Position == faults.Before.String() {
		l.act()
	}
	if l.inc.Life.Events == nil {
		l.inc.Life.Events = make([]history.Event, 0, l.bench.events)
	}
	e.N, e.Process = len(l.inc.Life.Events)+1, l.process
	l.inc.Life.Events = append(l.inc.Life.Events, e)
}

// sameLate reports whether two lists of writes under way are one list: lists are never changed in place.
func sameLate(a, b []parcel) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// pause lets the world go on while the process stands still: the clock moves, and another process lives
// on the same state.
func (l *simLife) pause(e faults.Event) {
	if err := l.clock.Wait(l.ctx, e.Duration); err != nil {
		if l.failed == nil {
			l.failed = err
		}
		return
	}
	l.other()
}

// post puts a write under way.
func (l *simLife) post(d time.Duration, site faults.Site, payload any) {
	p := parcel{l.clock.Now().Add(d), site, payload}
	at, _ := slices.BinarySearchFunc(l.late, p, func(a, b parcel) int { return a.due.Compare(b.due) })
	l.late = slices.Insert(slices.Clone(l.late), at, p)
}
