package scenarios

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
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
	// arrival numbers the events of all processes; paused is called while the process stands still at a
	// point of this side.
	arrival func() int
	paused  func(faults.Point)
	moved   atomic.Bool

	mu    sync.Mutex
	order map[call][]arrived
}

// call is one call of a site.
type call struct {
	site faults.Site
	n    int
}

func newGate(life faults.Life, clock *Clock, post func(time.Duration, faults.Site, *rawRequest)) *gate {
	n := 0
	return &gate{life: life, clock: clock, post: post, started: make(chan struct{}), order: map[call][]arrived{},
		arrival: func() int { n++; return n }, paused: func(faults.Point) {}}
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
	e, struck := g.fault(faults.Point{Site: site, Position: faults.During, N: c.N})
	if !struck {
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

// pass records the passage of a point, lets the process stand still there if a pause is planned, and
// reports whether it was killed there.
func (g *gate) pass(site faults.Site, n int, pos faults.Position, injected faults.Verb) (killed bool) {
	p := faults.Point{Site: site, Position: pos, N: n}
	c := call{site, n}
	event := history.Event{Seam: site.Seam, Operation: site.Operation, Position: pos.String(), Call: n, At: g.clock.Now(), Injected: string(injected)}
	at := g.arrival()
	g.mu.Lock()
	g.order[c] = append(g.order[c], arrived{event, at})
	g.mu.Unlock()
	if _, ok := g.planned(p, faults.Pause); ok {
		<-g.started
		g.moved.Store(true)
		// A process that does not stand still is gone, which its end says better.
		_ = g.process.Pause(func() { g.paused(p) })
	}
	if _, ok := g.planned(p, faults.Kill); !ok {
		return false
	}
	<-g.started
	g.process.Kill(p)
	return true
}

// planned returns the event of one of the verbs at a point.
func (g *gate) planned(p faults.Point, verbs ...faults.Verb) (faults.Event, bool) {
	for _, e := range g.life {
		if e.Point == p && slices.Contains(verbs, e.Verb) {
			return e, true
		}
	}
	return faults.Event{}, false
}

// fault returns what goes wrong with a call beside a kill or a pause.
func (g *gate) fault(p faults.Point) (faults.Event, bool) {
	return g.planned(p, faults.LoseRequest, faults.LoseResponse, faults.DeliverLate, faults.Unavailable, faults.Refuse, faults.Lag)
}

// Knobs says what goes wrong with a call beside getting lost.
func (g *gate) Knobs(c services.Call) provider.Knobs {
	e, ok := g.fault(faults.Point{Site: faults.Site{Seam: c.Seam, Operation: c.Operation}, Position: faults.During, N: c.N})
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
func (g *gate) merge(child []arrived) []arrived {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []arrived
	for _, e := range child {
		out = append(out, e)
		if e.Position != faults.Before.String() {
			continue
		}
		for _, d := range g.order[call{faults.Site{Seam: e.Seam, Operation: e.Operation}, e.Call}] {
			d.Request, d.Decision, d.Process = e.Request, e.Decision, e.Process
			// The caller's own report may have arrived after the call itself.
			d.n = max(d.n, e.n)
			out = append(out, d)
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
		e, struck := g.planned(faults.Point{Site: site, Position: faults.During, N: n}, faults.DeliverLate)
		if !ok || !struck {
			inner.ServeHTTP(&clockWriter{w, g}, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			return
		}
		if g.pass(site, n, faults.DuringLost, "") {
			panic(http.ErrAbortHandler)
		}
		g.post(e.Duration, site, &rawRequest{r.URL.Path, r.Header.Clone(), body})
		g.pass(site, n, faults.During, e.Verb)
		panic(http.ErrAbortHandler)
	})
}

// headerNow carries the parent's clock with an answer, after a pause that the caller could not see.
const headerNow = "Paytwice-Now"

// clockWriter adds the clock to an answer once it has been moved behind the caller's back.
type clockWriter struct {
	http.ResponseWriter
	gate *gate
}

func (w *clockWriter) WriteHeader(status int) {
	w.stamp()
	w.ResponseWriter.WriteHeader(status)
}

func (w *clockWriter) Write(body []byte) (int, error) {
	w.stamp()
	return w.ResponseWriter.Write(body)
}

func (w *clockWriter) stamp() {
	if w.gate.moved.Load() {
		w.Header().Set(headerNow, w.gate.clock.Now().Format(time.RFC3339Nano))
	}
}

// clockReader tells the child the clock that an answer carries.
type clockReader struct {
	inner http.RoundTripper
	tell  func(time.Time)
}

func (t clockReader) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.inner.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	if text := answer.Header.Get(headerNow); text != "" {
		if now, err := time.Parse(time.RFC3339Nano, text); err == nil {
			t.tell(now)
		}
	}
	return answer, nil
}
