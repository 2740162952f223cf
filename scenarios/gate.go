package scenarios

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/services"
)

// gate is the other side of the seams of one incarnation: it passes and strikes the points during a call.
// A caller can't tell when its bytes have left, so the kill during a call comes from here, once the whole
// request is read, before the work or after it.
//
// Concurrency: one call at a time from the child, and requests that a kill left behind.
type gate struct {
	life    faults.Life
	clock   *Clock
	post    func(time.Duration, faults.Site, *rawRequest)
	started chan struct{}
	process *child.Process

	mu    sync.Mutex
	order map[call][]history.Event
}

// call is one call of a site.
type call struct {
	site faults.Site
	n    int
}

func newGate(life faults.Life, clock *Clock, post func(time.Duration, faults.Site, *rawRequest)) *gate {
	return &gate{life: life, clock: clock, post: post, started: make(chan struct{}), order: map[call][]history.Event{}}
}

// start tells the gate which process it may have to kill.
func (g *gate) start(p *child.Process) {
	g.process = p
	close(g.started)
}

// Pass is a services.Gate.
func (g *gate) Pass(c services.Call, work func()) (answer bool) {
	site := faults.Site{Seam: c.Seam, Operation: c.Operation}
	if g.pass(site, c.N, faults.DuringLost, "") {
		return false
	}
	e, struck := g.planned(faults.Point{Site: site, Position: faults.During, N: c.N})
	if !struck || e.Verb == faults.Kill {
		work()
		return !g.pass(site, c.N, faults.During, "")
	}
	switch e.Verb {
	case faults.LoseRequest:
	case faults.LoseResponse:
		work()
	default: // the knobs make it of the answer
		work()
		return !g.pass(site, c.N, faults.During, e.Verb)
	}
	g.pass(site, c.N, faults.During, e.Verb)
	return false
}

// pass records the passage of a point and reports whether the process was killed there.
func (g *gate) pass(site faults.Site, n int, pos faults.Position, injected faults.Verb) (killed bool) {
	p := faults.Point{Site: site, Position: pos, N: n}
	g.mu.Lock()
	c := call{site, n}
	g.order[c] = append(g.order[c], history.Event{Seam: site.Seam, Operation: site.Operation, Position: pos.String(), Call: n, At: g.clock.Now(), Injected: string(injected)})
	g.mu.Unlock()
	if e, ok := g.planned(p); !ok || e.Verb != faults.Kill {
		return false
	}
	<-g.started
	g.process.Kill(p)
	return true
}

func (g *gate) planned(p faults.Point) (faults.Event, bool) {
	for _, e := range g.life {
		if e.Point == p && e.Verb != faults.Pause {
			return e, true
		}
	}
	return faults.Event{}, false
}

// Knobs says what goes wrong with a call beside getting lost.
func (g *gate) Knobs(c services.Call) provider.Knobs {
	e, ok := g.planned(faults.Point{Site: faults.Site{Seam: c.Seam, Operation: c.Operation}, Position: faults.During, N: c.N})
	if !ok {
		return provider.Knobs{}
	}
	switch e.Verb {
	case faults.Unavailable:
		return provider.Knobs{Trouble: provider.UnavailableBefore}
	case faults.Refuse:
		return provider.Knobs{Trouble: provider.Refuse}
	case faults.Lag:
		return provider.Knobs{Lag: e.Duration}
	}
	return provider.Knobs{}
}

// merge puts the events of both sides into the order in which they happened: what passed during a call
// follows the passage before it, which the caller reported.
func (g *gate) merge(child []history.Event) []history.Event {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []history.Event
	add := func(e history.Event) {
		e.N = len(out) + 1
		out = append(out, e)
	}
	for _, e := range child {
		add(e)
		if e.Position != faults.Before.String() {
			continue
		}
		for _, d := range g.order[call{faults.Site{Seam: e.Seam, Operation: e.Operation}, e.Call}] {
			d.Request, d.Decision = e.Request, e.Decision
			add(d)
		}
	}
	return out
}

// rawRequest is a request as it arrived, to be delivered later.
type rawRequest struct {
	path   string
	header http.Header
	body   []byte
}

// deliver sends the request to a handler; nobody waits for the answer.
func (r *rawRequest) deliver(h http.Handler) error {
	request := httptest.NewRequest(http.MethodPost, r.path, bytes.NewReader(r.body))
	request.Header = r.header.Clone()
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, request)
	if answer.Code == http.StatusInternalServerError {
		return fmt.Errorf("the service answered %s", answer.Body)
	}
	return nil
}

// wrap takes out of the way the requests that are delivered late.
func (g *gate) wrap(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seam, operation, n, ok := services.CallOf(r)
		site := faults.Site{Seam: seam, Operation: operation}
		e, struck := g.planned(faults.Point{Site: site, Position: faults.During, N: n})
		if !ok || !struck || e.Verb != faults.DeliverLate {
			inner.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			return
		}
		g.pass(site, n, faults.DuringLost, "")
		g.post(e.Duration, site, &rawRequest{r.URL.Path, r.Header.Clone(), body})
		g.pass(site, n, faults.During, e.Verb)
		panic(http.ErrAbortHandler)
	})
}
