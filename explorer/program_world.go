package explorer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// binaryWorld is the World of a child of somebody's test binary: a folder, and a provider in the parent.
type binaryWorld struct {
	p    Program
	task string
	args []string
	root string
	next atomic.Int64
}

// binaryState is what survives a process: its folder, and what the provider remembers.
type binaryState struct {
	dir      string
	provider provider.State[provider.Payload]
	key      string
}

// Key implements State.
func (s *binaryState) Key() string { return s.key }

// Start implements World.
func (w *binaryWorld) Start(context.Context) (State, error) {
	dir, err := w.folder()
	if err != nil {
		return nil, err
	}
	return w.state(dir, provider.State[provider.Payload]{})
}

func (w *binaryWorld) folder() (string, error) {
	dir := filepath.Join(w.root, "case-"+strconv.FormatInt(w.next.Add(1), 10))
	return dir, os.Mkdir(dir, 0o755)
}

// state names a state by the content of its folder and the provider's memory.
func (w *binaryWorld) state(dir string, p provider.State[provider.Payload]) (*binaryState, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %s\n", name, e.Type())
		if !e.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil {
			fmt.Fprintf(sum, "%d\n%s", len(data), data)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("state of a case: %w", err)
	}
	memory, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	sum.Write(memory)
	return &binaryState{dir: dir, provider: p, key: hex.EncodeToString(sum.Sum(nil))}, nil
}

// Accepts implements World: the provider's answers can be lost.
func (w *binaryWorld) Accepts(site faults.Site, verb faults.Verb) bool {
	return site.Seam == providerSeam && (verb == faults.LoseRequest || verb == faults.LoseResponse || verb == faults.Unavailable || verb == faults.Refuse)
}

// Outcome implements World.
func (w *binaryWorld) Outcome(_ context.Context, s State) (*check.Outcome, error) {
	o := &check.Outcome{NoTrail: true, Ledger: effectsOf(s.(*binaryState).provider)}
	if w.p.Want != nil {
		o.Broken = w.p.Want(o.Ledger)
	}
	return o, nil
}

func effectsOf(s provider.State[provider.Payload]) []history.Effect {
	var out []history.Effect
	for _, e := range s.Ledger {
		out = append(out, history.Effect{Seq: e.Seq, Tool: e.Tool, Intent: e.Payload.Order, OperationID: e.Operation, RecordID: e.Record, Subject: e.Payload.Order,
			AmountCents: e.Payload.AmountCents, Currency: e.Payload.Currency, Reason: e.Payload.Reason, Reversed: !e.ReversedAt.IsZero(), At: e.At})
	}
	return out
}

// Run implements World.
func (w *binaryWorld) Run(ctx context.Context, from State, life faults.Life) (Incarnation, error) {
	l := &binaryLife{binaryWorld: w, life: life, double: provider.NewDouble(w.p.Provider, nil), calls: map[string]int{}, started: make(chan struct{})}
	l.double.Restore(from.(*binaryState).provider)
	dir, err := w.folder()
	if err != nil {
		return Incarnation{}, err
	}
	if err := os.CopyFS(dir, os.DirFS(from.(*binaryState).dir)); err != nil {
		return Incarnation{}, fmt.Errorf("copy of a state: %w", err)
	}
	return l.live(ctx, dir)
}

// providerSeam names the points during a call, which the provider's side passes.
const providerSeam = "provider"

// binaryLife is one incarnation under way.
type binaryLife struct {
	*binaryWorld
	life    faults.Life
	double  *provider.Double
	started chan struct{}
	process *child.Process

	mu     sync.Mutex
	events []history.Event
	calls  map[string]int
	busy   sync.WaitGroup
}

func (l *binaryLife) live(ctx context.Context, dir string) (Incarnation, error) {
	handler := l.double.Handler(provider.HandlerOptions{Gate: l.gate, Knobs: l.knobs})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.busy.Add(1)
		defer l.busy.Done()
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	server.Config.ErrorLog = quiet
	config, err := json.Marshal(dir)
	if err != nil {
		return Incarnation{}, err
	}
	path, err := os.Executable()
	if err != nil {
		return Incarnation{}, err
	}
	var planned *faults.Point
	for _, e := range l.life {
		if e.Verb == faults.Kill {
			planned = &e.Point
		}
	}
	process, wait, err := child.Start(ctx, child.Spec{Path: path, Args: l.args, Dir: mustDir(), Timeout: l.p.Timeout, Planned: planned,
		Environ: []string{"GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE"), EnvPlan + "="},
		Order:   child.Order{Task: l.task, Config: config, Address: server.URL, Life: faults.Plan{l.life}},
		Event:   l.record,
	})
	if err != nil {
		return Incarnation{}, err
	}
	l.process = process
	close(l.started)
	lived, err := wait()
	l.busy.Wait()
	if err != nil {
		return Incarnation{}, err
	}
	return l.incarnation(dir, lived)
}

// mustDir is the folder that the test runs in: children find testdata where the test finds it.
func mustDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

func (l *binaryLife) record(e history.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.N = len(l.events) + 1
	l.events = append(l.events, e)
}

// gate passes the points during a call of the provider, once its request was read whole.
func (l *binaryLife) gate(r *http.Request, operation string, work func()) bool {
	l.mu.Lock()
	l.calls[operation]++
	site, n := faults.Site{Seam: providerSeam, Operation: operation}, l.calls[operation]
	l.mu.Unlock()
	if l.pass(faults.Point{Site: site, Position: faults.DuringLost, N: n}, "") {
		return false
	}
	during := faults.Point{Site: site, Position: faults.During, N: n}
	verb := l.planned(during)
	if verb != faults.LoseRequest {
		work()
	}
	killed := l.pass(during, verb)
	return !killed && verb != faults.LoseRequest && verb != faults.LoseResponse
}

func (l *binaryLife) pass(p faults.Point, verb faults.Verb) (killed bool) {
	injected := string(verb)
	if verb == faults.Kill {
		injected = ""
	}
	l.record(history.Event{Seam: p.Seam, Operation: p.Operation, Position: p.Position.String(), Call: p.N, Injected: injected})
	if l.planned(p) != faults.Kill {
		return false
	}
	<-l.started
	l.process.Kill(p)
	return true
}

func (l *binaryLife) planned(p faults.Point) faults.Verb {
	for _, e := range l.life {
		if e.Point == p {
			return e.Verb
		}
	}
	return ""
}

func (l *binaryLife) knobs(_ *http.Request, operation string) provider.Knobs {
	l.mu.Lock()
	p := faults.Point{Site: faults.Site{Seam: providerSeam, Operation: operation}, Position: faults.During, N: l.calls[operation] + 1}
	l.mu.Unlock()
	switch l.planned(p) {
	case faults.Unavailable:
		return provider.Knobs{Trouble: provider.UnavailableBefore}
	case faults.Refuse:
		return provider.Knobs{Trouble: provider.Refuse}
	}
	return provider.Knobs{}
}

func (l *binaryLife) incarnation(dir string, lived child.Lived) (Incarnation, error) {
	inc := Incarnation{Life: history.Life{Events: l.events, Ended: lived.Ended, Error: lived.Error, Hung: lived.Hung, PID: lived.PID}}
	if lived.Killed {
		for _, e := range l.life {
			if e.Verb == faults.Kill {
				inc.Life.At = e.Point.String()
			}
		}
	}
	if n := len(l.events); lived.Killed && n > 0 {
		l.events[n-1].Injected = string(faults.Kill)
	}
	for i := range l.events {
		p, err := faults.ParsePoint(l.events[i].Point())
		if err != nil {
			return inc, fmt.Errorf("event %d of the child: %w", i+1, err)
		}
		inc.Points = append(inc.Points, Passage{Point: p, Events: i + 1})
	}
	for _, e := range l.life {
		if e.Verb.AtPoint() && !slices.ContainsFunc(inc.Points, func(p Passage) bool { return p.Point == e.Point }) {
			inc.Unreached = append(inc.Unreached, e)
		}
	}
	next, err := l.state(dir, l.double.Snapshot())
	if err != nil {
		return inc, err
	}
	runtime.AddCleanup(next, func(dir string) { os.RemoveAll(dir) }, dir)
	inc.Next = next
	return inc, nil
}

// runPattern returns the -test.run pattern of exactly one test or subtest.
func runPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexpQuote(p) + "$"
	}
	return strings.Join(parts, "/")
}
