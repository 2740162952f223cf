package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Program is a program whose incarnations are processes: what the parent has to know of it.
type Program interface {
	// Task names it to the child; Config is what the child is told beside the address.
	Task() string
	Config() any
	// Prepare fills an empty folder with the first durable state.
	Prepare(ctx context.Context, dir string) error
	// Open opens the world outside the process, whose durable part is in the folder.
	Open(ctx context.Context, dir string, clock *Clock) (Outside, error)
	// Read returns the durable state in a folder, the outside's included. It must not change the folder.
	Read(ctx context.Context, dir string, o Outside) (Durable, error)
	// Accepts is Machine's.
	Accepts(site faults.Site, verb faults.Verb) bool
}

// Outside is the world outside the process during one incarnation.
type Outside interface {
	// Handler serves it to the child.
	Handler(g *gate) http.Handler
	Happen(ctx context.Context, name string) error
	Close() error
}

// Killed is the world of child processes that are really killed. It implements explorer.World.
//
// The services run here, in the parent, over loopback HTTP, with their database in the case's folder; the
// child has its own store there. A case is a copy of its state's folder, so no state ever changes.
type Killed struct {
	program Program
	options KillOptions
	root    string
	server  *server
	next    atomic.Int64
	lag     time.Duration
	start   func() (*killState, error)
}

// KillOptions steer how children are run.
type KillOptions struct {
	// Path is the binary that is started again; empty means this one.
	Path string
	// Timeout ends one incarnation that hangs.
	Timeout time.Duration
	// Keep is called with the folder as it is after a life that was killed; for replay --keep.
	Keep func(life int, dir string) error
	// Paused is called before the folder of a killed life goes on, for replay --pause.
	Paused func(life int, pid int)
}

// ErrNoKill is returned where it has not been seen that processes can really be killed and checked.
var ErrNoKill = errors.New("kill mode has not been run on this system: use --mode simulate")

// CanKill returns ErrNoKill for a system, by the name that Go gives it, on which no gate runs real kills: a kill
// that nobody saw land there is no ground for a verdict.
func CanKill(system string) error {
	if system != "linux" || !child.Supported {
		return ErrNoKill
	}
	return nil
}

// NewKilled returns the world of a program in child processes. Close it: it holds folders and a server.
func NewKilled(ctx context.Context, p Program, o KillOptions) (*Killed, error) {
	if err := CanKill(runtime.GOOS); err != nil {
		return nil, err
	}
	if o.Path == "" {
		path, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("this program's own file: %w", err)
		}
		o.Path = path
	}
	root, err := child.CaseFolder()
	if err != nil {
		return nil, fmt.Errorf("folder for the cases: %w", err)
	}
	server, err := listen()
	if err != nil {
		os.RemoveAll(root)
		return nil, err
	}
	w := &Killed{program: p, options: o, root: root, server: server}
	w.start = sync.OnceValues(func() (*killState, error) { return w.first(ctx) })
	return w, nil
}

// Close stops the server and removes every folder.
func (w *Killed) Close() error {
	return errors.Join(w.server.close(), os.RemoveAll(w.root))
}

// killState is the durable state between two processes: a folder, and what is in it.
type killState struct {
	dir     string
	durable Durable
	now     time.Time
	late    []posted
	lives   int
	lag     time.Duration

	once sync.Once
	key  string
}

// posted is a request under way that arrives later.
type posted struct {
	due     time.Time
	site    faults.Site
	request *rawRequest
}

// Key implements explorer.State.
func (s *killState) Key() string {
	s.once.Do(func() {
		var late []string
		for _, p := range s.late {
			late = append(late, fmt.Sprintf("%s %s in %s", p.site, p.request.body, p.due.Sub(s.now)))
		}
		s.key = identity(s.durable, s.now, s.lag, late)
	})
	return s.key
}

// Foresee implements explorer.Foresighted.
func (w *Killed) Foresee(f []faults.Event) { w.lag = longestLag(f) }

// Start implements explorer.World.
func (w *Killed) Start(context.Context) (explorer.State, error) { return w.start() }

func (w *Killed) first(ctx context.Context) (*killState, error) {
	dir, err := w.folder()
	if err != nil {
		return nil, err
	}
	if err := w.program.Prepare(ctx, dir); err != nil {
		return nil, fmt.Errorf("first state: %w", err)
	}
	return w.stateOf(ctx, dir, NewClock(Today), nil, 0)
}

// stateOf reads the state in a folder whose outside nobody has open.
func (w *Killed) stateOf(ctx context.Context, dir string, clock *Clock, late []posted, lives int) (*killState, error) {
	outside, err := w.program.Open(ctx, dir, clock)
	if err != nil {
		return nil, err
	}
	defer outside.Close()
	durable, err := w.program.Read(ctx, dir, outside)
	if err != nil {
		return nil, err
	}
	return &killState{dir: dir, durable: durable, now: clock.Now(), late: late, lives: lives, lag: w.lag}, nil
}

// folder returns a new folder of the case's own.
func (w *Killed) folder() (string, error) {
	dir := filepath.Join(w.root, fmt.Sprintf("case-%d", w.next.Add(1)))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("folder of a case: %w", err)
	}
	return dir, nil
}

// Accepts implements explorer.World.
func (w *Killed) Accepts(site faults.Site, verb faults.Verb) bool {
	return w.program.Accepts(site, verb)
}

// Outcome implements explorer.World. What is still under way arrives first.
func (w *Killed) Outcome(ctx context.Context, s explorer.State) (*check.Outcome, error) {
	st := s.(*killState)
	if len(st.late) == 0 {
		return st.durable.Outcome(st.now), nil
	}
	l, err := w.begin(ctx, st)
	if err != nil {
		return nil, err
	}
	defer l.outside.Close()
	last := st.now
	for _, p := range st.late {
		last = latest(last, p.due)
	}
	if err := l.clock.Wait(ctx, last.Sub(st.now)); err != nil {
		return nil, err
	}
	durable, err := w.program.Read(ctx, l.dir, l.outside)
	if err != nil {
		return nil, err
	}
	return durable.Outcome(l.clock.Now()), l.failed
}

// killLife is one incarnation under way.
type killLife struct {
	*Killed
	ctx     context.Context
	dir     string
	from    *killState
	clock   *Clock
	outside Outside

	mu     sync.Mutex
	late   []posted
	failed error
	// arrivals numbers the events of all processes as they arrive; processes counts those started.
	arrivals  int
	processes int
	// moving is held by whoever moves the clock.
	moving sync.Mutex
	told   []history.Event
}

// begin copies the state's folder and opens the world outside in the copy.
func (w *Killed) begin(ctx context.Context, from *killState) (*killLife, error) {
	dir, err := w.folder()
	if err != nil {
		return nil, err
	}
	if err := child.CopyFolder(dir, from.dir); err != nil {
		return nil, fmt.Errorf("copy of a state: %w", err)
	}
	l := &killLife{Killed: w, ctx: ctx, dir: dir, from: from, late: from.late, clock: NewClock(from.now)}
	l.clock.arrived = l.arrive
	if l.outside, err = w.program.Open(ctx, dir, l.clock); err != nil {
		return nil, err
	}
	l.arrive(l.clock.Now())
	return l, nil
}

// Run implements explorer.World.
func (w *Killed) Run(ctx context.Context, from explorer.State, life faults.Life) (explorer.Incarnation, error) {
	l, err := w.begin(ctx, from.(*killState))
	if err != nil {
		return explorer.Incarnation{}, err
	}
	inc, err := l.run(life)
	if closed := l.outside.Close(); err == nil {
		err = closed
	}
	return inc, err
}

func (l *killLife) run(life faults.Life) (explorer.Incarnation, error) {
	if err := l.prologue(life); err != nil {
		return explorer.Incarnation{}, err
	}
	first := &killProcess{killLife: l, life: life, resumers: 1}
	if e, ok := resumersOf(life); ok {
		first.resumers = e.Count
	}
	lived, err := first.live()
	if err == nil {
		first.startOthers()
	}
	first.others.group.Wait()
	if err != nil {
		return explorer.Incarnation{}, err
	}
	if l.failed != nil {
		return explorer.Incarnation{}, l.failed
	}
	return l.incarnation(first, lived)
}

// wait advances the parent's clock because the child waits.
func (l *killLife) wait(d time.Duration) time.Time {
	l.moving.Lock()
	defer l.moving.Unlock()
	if err := l.clock.Wait(l.ctx, d); err != nil {
		l.fail(err)
	}
	return l.clock.Now()
}

func (l *killLife) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = err
	}
}

func (l *killLife) prologue(life faults.Life) error {
	for _, e := range life {
		switch e.Verb {
		case faults.Advance:
			if err := l.clock.Wait(l.ctx, e.Duration); err != nil {
				return err
			}
			l.told = append(l.told, advanced(e, l.clock.Now()))
		case faults.World:
			before, err := l.program.Read(l.ctx, l.dir, l.outside)
			if err != nil {
				return err
			}
			if err := l.outside.Happen(l.ctx, e.Name); err != nil {
				return err
			}
			after, err := l.program.Read(l.ctx, l.dir, l.outside)
			if err != nil {
				return err
			}
			now := l.clock.Now()
			l.told = append(l.told, happened(e.Name, before.Outcome(now), after.Outcome(now), now)...)
		}
	}
	return nil
}

// incarnation puts together what the processes and the other side of their seams saw.
func (l *killLife) incarnation(first *killProcess, lived child.Lived) (explorer.Incarnation, error) {
	inc := explorer.Incarnation{}
	life := first.life
	inc.Life = history.Life{Events: first.history(), Ended: lived.Ended, Error: lived.Error, PID: lived.PID, Hung: lived.Hung}
	pending := first.resumers > 1
	for i := range inc.Life.Events {
		e := &inc.Life.Events[i]
		if e.Process > 0 || isPrologue(*e) {
			continue
		}
		position, ok := faults.ParsePosition(e.Position)
		if !ok {
			return inc, fmt.Errorf("event %d of the child has position %q", i+1, e.Position)
		}
		p := faults.Point{Site: faults.Site{Seam: e.Seam, Operation: e.Operation}, Position: position, N: e.Call}
		pending = pending && !hasLease(*e)
		inc.Points = append(inc.Points, explorer.Passage{Point: p, Events: i + 1, Pending: pending})
	}
	if n := len(inc.Points); lived.Killed && n > 0 {
		inc.Life.At = life.Kill().String()
		inc.Life.Events[inc.Points[n-1].Events-1].Injected = string(faults.Kill)
	}
	inc.Unreached = unreached(life, inc)
	if lived.Killed && l.options.Keep != nil {
		if err := l.options.Keep(l.from.lives+1, l.dir); err != nil {
			return inc, err
		}
	}
	durable, err := l.program.Read(l.ctx, l.dir, l.outside)
	if err != nil {
		return inc, err
	}
	next := &killState{dir: l.dir, durable: durable, now: l.clock.Now().Add(RestartDelay), late: l.late, lives: l.from.lives + l.processes, lag: l.from.lag}
	// The folder goes when nothing can start from the state any more.
	runtime.AddCleanup(next, func(dir string) { os.RemoveAll(dir) }, l.dir)
	inc.Next = next
	return inc, nil
}

// unreached returns the planned events whose point was not passed. A kill that was passed and did not end
// the process is a kill that did not land, and found before.
func unreached(life faults.Life, inc explorer.Incarnation) []faults.Event {
	var out []faults.Event
	for _, e := range life {
		passed := slices.ContainsFunc(inc.Points, func(p explorer.Passage) bool { return p.Point == e.Point })
		if e.Verb.AtPoint() && !passed {
			out = append(out, e)
		}
	}
	return out
}

// post puts a request under way.
func (l *killLife) post(d time.Duration, site faults.Site, r *rawRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := posted{l.clock.Now().Add(d), site, r}
	at, _ := slices.BinarySearchFunc(l.late, p, func(a, b posted) int { return a.due.Compare(b.due) })
	l.late = slices.Insert(slices.Clone(l.late), at, p)
}

// arrive delivers, in order, what is due by a moment.
func (l *killLife) arrive(until time.Time) {
	for p, ok := l.nextLate(until); ok; p, ok = l.nextLate(until) {
		l.clock.set(latest(l.clock.Now(), p.due))
		if err := p.request.deliver(l.outside.Handler(nil)); err != nil {
			l.fail(fmt.Errorf("late delivery of %s: %w", p.site, err))
		}
	}
}

func (l *killLife) nextLate(until time.Time) (posted, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.late) == 0 || l.late[0].due.After(until) {
		return posted{}, false
	}
	p := l.late[0]
	l.late = l.late[1:]
	return p, true
}
