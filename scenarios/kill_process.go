package scenarios

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// killProcess is one process of an incarnation: the first, which the plan is about, or another that lives
// beside it.
type killProcess struct {
	*killLife
	number int
	life   faults.Life
	gate   *gate
	events []arrived
	// resumers is how many processes are to live at once, this one among them.
	resumers int
	others   otherProcesses
}

// arrived is an event with its number in the order of arrival from all processes.
type arrived struct {
	history.Event
	n int
}

// live starts the process and waits for its end.
func (p *killProcess) live() (child.Lived, error) {
	wait, err := p.start()
	if err != nil {
		return child.Lived{}, err
	}
	return wait()
}

// start starts the process. The function it returns waits for its end, and for the end of what it asked
// for: a killed child leaves requests that are still being worked on.
func (p *killProcess) start() (func() (child.Lived, error), error) {
	p.mu.Lock()
	p.number = p.processes
	p.processes++
	p.mu.Unlock()
	p.gate = newGate(p.life, p.clock, p.post)
	p.gate.arrival, p.gate.paused = p.arrival, p.pause
	address, done := p.server.serve(p.gate.wrap(p.outside.Handler(p.gate)))
	config, err := json.Marshal(p.program.Config())
	if err != nil {
		done()
		return nil, err
	}
	spec := child.Spec{Path: p.options.Path, Dir: p.dir, Timeout: p.options.Timeout, Planned: p.life.Kill(),
		// A life is too short for its garbage to matter; the limit is for one that does not end.
		Environ: append(child.OneProcessor(), "GORACE=atexit_sleep_ms=0", "GOGC=off", "GOMEMLIMIT=256MiB"),
		// Nothing in a life goes by the system's clock.
		Slack: time.Millisecond,
		Order: child.Order{Task: p.program.Task(), Config: config, Address: address, Life: faults.Plan{p.life}, Now: p.clock.Now()},
		Event: p.record, Wait: p.wait,
		Paused: func(at faults.Point) time.Time { p.pause(at); return p.clock.Now() },
	}
	process, wait, err := child.Start(p.ctx, spec)
	if err != nil {
		done()
		return nil, err
	}
	p.gate.start(process)
	return func() (child.Lived, error) {
		lived, err := wait()
		done()
		return lived, err
	}, nil
}

func (l *killLife) arrival() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrivals++
	return l.arrivals
}

func (p *killProcess) record(e history.Event) {
	e.Process = p.number
	p.events = append(p.events, arrived{e, p.arrival()})
	if hasLease(e) {
		p.startOthers()
	}
}

// pause lets the world go on while the process stands still at a point: the clock moves, and another
// process lives one life.
func (p *killProcess) pause(at faults.Point) {
	for _, e := range p.life {
		if e.Verb == faults.Pause && e.Point == at {
			p.wait(e.Duration)
		}
	}
	other := p.others.add(p.killLife)
	if _, err := other.live(); err != nil {
		p.fail(err)
	}
}

// startOthers starts the other resumers, once.
func (p *killProcess) startOthers() {
	for ; p.resumers > 1; p.resumers-- {
		other := p.others.add(p.killLife)
		wait, err := other.start()
		if err != nil {
			p.fail(err)
			return
		}
		p.others.group.Go(func() {
			if _, err := wait(); err != nil {
				p.fail(err)
			}
		})
	}
}

// otherProcesses are the processes that lived beside the first one.
type otherProcesses struct {
	mu    sync.Mutex
	list  []*killProcess
	group sync.WaitGroup
}

func (o *otherProcesses) add(l *killLife) *killProcess {
	other := &killProcess{killLife: l, resumers: 1}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, other)
	return other
}

// history returns the events of all processes in the order in which they happened, as far as the parent
// can tell: those of one process always are, those of different ones as they arrived.
func (p *killProcess) history() []history.Event {
	all := p.gate.merge(p.events)
	for _, o := range p.others.list {
		all = append(all, o.gate.merge(o.events)...)
	}
	slices.SortStableFunc(all, func(a, b arrived) int { return cmp.Compare(a.n, b.n) })
	out := slices.Clone(p.told)
	for _, e := range all {
		out = append(out, e.Event)
	}
	for i := range out {
		out[i].N = i + 1
	}
	return out
}
