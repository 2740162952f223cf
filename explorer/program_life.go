package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// quiet takes what a server says about connections that a kill broke: that is the point of it.
var quiet = log.New(io.Discard, "", 0)

// providerSeam names the points during a call, which the provider's side passes.
const providerSeam = "provider"

// binaryLife is one incarnation under way.
type binaryLife struct {
	*binaryWorld
	number   int
	life     faults.Life
	double   *provider.Double
	clock    *clock
	together *barrier
	started  chan struct{}
	process  *child.Process
	lived    child.Lived
	said     *said
	// failed is what the test said in Run to fail itself, empty if it did not.
	failed string

	mu     sync.Mutex
	events []history.Event
	calls  map[string]int
	// answers are what the provider answered, by the point at which the program gets it.
	answers map[string]string
	// failedAtPoint: a point was passed after Run had failed the test.
	failedAtPoint bool
}

// serve serves the provider at the address that it returns, until end is called, as often as one likes. Where
// there is no provider and nobody to wait for, there is no service either.
func (l *binaryLife) serve() (address string, end func()) {
	if !l.p.hasProvider() && l.p.AtOnce == 1 {
		return "", func() {}
	}
	server := httptest.NewUnstartedServer(l.handler())
	server.Config.ErrorLog = quiet
	server.Start()
	return server.URL, func() {
		cut := time.AfterFunc(requestDelay, server.CloseClientConnections)
		defer cut.Stop()
		server.Close()
	}
}

// requestDelay is how long a request that is under way when a life ends may still take to come in whole: one that
// a process left behind holds never does.
const requestDelay = time.Second

// live starts the process, serves the provider to it, and waits for its end.
func (l *binaryLife) live(ctx context.Context, dir string) error {
	defer l.together.leave()
	address, endService := l.serve()
	defer endService()
	config, err := json.Marshal(childConfig{Dir: dir, Process: l.number, Together: l.p.AtOnce > 1, Lines: l.lines.Load(), Verbose: verbose()})
	if err != nil {
		return err
	}
	readLog, args := readsOf(dir, l.number)
	process, wait, err := child.Start(ctx, child.Spec{Path: l.path, Args: append(args, l.args...), Dir: startFolder, Timeout: l.p.Timeout, Planned: l.life.Kill(), Slack: slack,
		Environ: l.environ(), Alarm: raceReport, Stdout: l.said,
		Order: child.Order{Task: l.task, Config: config, Address: address, Life: faults.Plan{l.life}, Now: l.clock.from},
		Event: l.record, Begins: l.clock.begin,
	})
	if err != nil {
		return err
	}
	l.process = process
	close(l.started)
	l.lived, err = wait()
	endService() // it waits for the requests that are still being answered: nothing changes after the life
	if err := l.sound(err); err != nil {
		return err
	}
	return l.reads.take(readLog, l.lived)
}

// raceReport begins what the race detector writes to standard error, at once.
const raceReport = "WARNING: DATA RACE"

// slack is how much later than asked a child's sleeps may end: less than any program can count on.
const slack = time.Millisecond

// environ is what this life's child has beside the parent's environment.
func (l *binaryLife) environ() []string {
	environ := childEnviron(l.root)
	if l.temp != "" {
		environ = append(environ, "TMPDIR="+l.temp)
	}
	return environ
}

// childEnviron is what a child's environment has beside the parent's. One processor for each child: several run
// beside each other, a start costs less, and goroutines meet in fewer ways. Whoever sets GOMAXPROCS keeps it. The race
// detector reports to the parent, wherever it otherwise does.
func childEnviron(root string) []string {
	environ := []string{"GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE") + " log_path=stderr", EnvPlan + "=", EnvCoverage + "=", leftMark(root)}
	if os.Getenv("GOMAXPROCS") == "" {
		environ = append(environ, child.OneProcessor()...)
	}
	return environ
}

// sound refuses a life that says something is wrong with how it was lived: nothing can be judged by it.
func (l *binaryLife) sound(err error) error {
	var missed *child.NotLandedError
	switch {
	case l.lived.Alarm != "":
		return fmt.Errorf("the race detector found a race:\n%s", l.lived.Alarm)
	case errors.As(err, &missed):
		return fmt.Errorf("%w\nnothing but the plan may end the process: is there an os.Exit, a log.Fatal or a signal in Run?", err)
	case err != nil:
		return err
	case strings.HasPrefix(l.lived.Error, misuseMark):
		return errors.New(strings.TrimPrefix(l.lived.Error, misuseMark))
	case l.lived.Ended == history.Failed && !l.lived.Hung && !strings.HasPrefix(l.lived.Error, failedMark):
		l.lived.Error = l.said.whyEnded(l.lived)
	}
	return l.failedTest()
}

// startPath is where a process waits for the others of its start.
const startPath = "/paytwice-start"

func (l *binaryLife) handler() http.Handler {
	double := l.double.Handler(provider.HandlerOptions{Gate: l.gate, Knobs: l.knobs})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == startPath {
			l.together.arrive()
			return
		}
		double.ServeHTTP(l.answering(w, r), r)
	})
}

// barrier lets several processes begin at one moment. One that ended without coming does not keep the
// others waiting.
type barrier struct {
	mu      sync.Mutex
	missing int
	open    chan struct{}
}

func newBarrier(n int) *barrier { return &barrier{missing: n, open: make(chan struct{})} }

// leave counts one in, or out.
func (b *barrier) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.missing--; b.missing == 0 {
		close(b.open)
	}
}

func (b *barrier) arrive() {
	b.leave()
	<-b.open
}

// startFolder is the folder in which this process was started, and so its children: they find testdata where the
// test finds it, and go the same way where it changes the folder before its call.
var startFolder = func() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}()

func (l *binaryLife) record(e history.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if where, failed := strings.CutPrefix(e.Where, failedMark); failed {
		e.Where, l.failedAtPoint = where, true
	}
	e.N, e.Answer = len(l.events)+1, l.answers[e.Point()]
	l.events = append(l.events, e)
}

// gate passes the points during a call of the provider, once its request was read whole.
func (l *binaryLife) gate(_ *http.Request, operation string, work func()) bool {
	<-l.started
	l.process.Settle() // the points that the program passed before its request come before the request's
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

// passages enters into an incarnation what this process passed.
func (l *binaryLife) passages(inc *Incarnation) error {
	if kill := l.life.Kill(); kill != nil && l.lived.Killed {
		inc.Life.At = kill.String()
		if n := len(l.events); n > 0 {
			l.events[n-1].Injected = string(faults.Kill)
		}
	}
	for i := range l.events {
		p, err := faults.ParsePoint(l.events[i].Point())
		if err != nil {
			return fmt.Errorf("event %d of the child: %w", i+1, err)
		}
		inc.Points = append(inc.Points, Passage{Point: p, Events: i + 1})
	}
	for _, e := range l.life {
		if e.Verb.AtPoint() && !contains(inc.Points, e.Point) {
			inc.Unreached = append(inc.Unreached, e)
		}
	}
	return nil
}
