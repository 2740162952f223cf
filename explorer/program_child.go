package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/httpfault"
)

// childConfig is what a child is told beside its life.
type childConfig struct {
	Dir     string `json:"dir"`
	Process int    `json:"process"`
	// Together: it waits at startPath for the others.
	Together bool `json:"together,omitempty"`
	// Lines: each point is reported with the line of the program that passes it.
	Lines bool `json:"lines,omitempty"`
	// Verbose is the parent's -test.v. A child is started with it on, so that the test's log comes out at once, and
	// has the parent's again before Run begins.
	Verbose string `json:"verbose,omitempty"`
}

// httpSeam is the seam of a program's requests.
var httpSeam = httpfault.Site(http.MethodGet).Seam

// misuseMark begins the error of a life that says more about the test than about the program. No program writes such
// an error itself.
const misuseMark = "\x16misuse: "

// liveAndExit lives one incarnation of a test's program and ends the process.
func liveAndExit(t testing.TB, p Program) {
	seat, err := child.Attach()
	if err != nil {
		fmt.Fprintln(os.Stderr, "paytwice:", err)
		os.Exit(3)
	}
	endWithParent()
	adoptOrphans()
	var c childConfig
	if err = json.Unmarshal(seat.Order.Config, &c); err == nil && c.Together {
		err = waitForAll(seat.Order.Address)
	}
	if err != nil {
		seat.End(history.Failed, fmt.Errorf("%sstart of a child: %w", misuseMark, err))
		os.Exit(3)
	}
	failedBefore := failures(t)
	_ = flag.Set("test.v", c.Verbose)
	var after afterwards
	var requests atomic.Bool
	seat.ReportPasses(func(p faults.Point) string {
		if p.Seam == httpSeam {
			requests.Store(true)
		}
		where, late := "", after.hasBegun()
		if c.Lines || late {
			where = callerLine()
		}
		if late {
			after.keep(p, where)
		}
		if failedBefore == 0 && t.Failed() {
			return failedMark + where // a kill may come before the end, where it would be told
		}
		return where
	})
	faults.Arm(seat.Injector)
	// A life that is to be killed does not come to its end, where this would be asked for.
	dies := seat.Order.Life.Life(0).Kill() != nil
	var before bystanders
	if !dies {
		before = bystanders{present(), childProcesses()}
	}
	clock := &clock{from: seat.Order.Now}
	clock.begin()
	fmt.Fprintln(stdout, runBegins(failedBefore > 0))
	seat.Begin()
	env := &Env{dir: c.Dir, process: c.Process, clock: clock}
	if p.hasProvider() {
		env.providerURL = seat.Order.Address
	}
	err = runGuarded(p, env, func(panicked any) {
		if failures(t) > failedBefore {
			seat.End(history.Failed, fmt.Errorf("%spanic: %v (%s)", failedMark, panicked, shortFile(callerLine())))
		}
	})
	err = ofTest(t, failedBefore, err)
	if err == nil && !dies {
		after.begin()
		err = leftBehind(before, &after)
	}
	if err == nil && !p.hasProvider() && env.asked.Load() && requests.Load() {
		err = errors.New(misuseMark + "Run asked for Env.ProviderURL and made requests, and Program.Provider is not set: set it, to provider.ReplayAll() for one, or nothing is judged")
	}
	endChildren()
	flushReads()
	if err != nil {
		seat.End(history.Failed, err)
	} else {
		seat.End(history.Done, nil)
	}
	os.Exit(0)
}

func waitForAll(address string) error {
	// A transport of its own, so that no connection of it is there when the program starts.
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Get(address + startPath)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// errNoReturn is the error of a Run that ended its goroutine.
var errNoReturn = errors.New("Run ended its goroutine instead of returning: a runtime.Goexit in it; return an error instead")

// ofTest returns how a life ended whose Run returned an error or nil: what it did to the test comes first.
func ofTest(t testing.TB, failedBefore int, returned error) error {
	said := ""
	if returned != nil && returned != errNoReturn {
		said = returned.Error()
	}
	switch {
	case failures(t) > failedBefore:
		return errors.New(failedMark + said)
	case t.Skipped():
		return errors.New(misuseMark + "Run called t.Skip, and a life can't be skipped: return nil where there is nothing to do, and skip before the call")
	}
	return returned
}

// runGuarded runs the program in a goroutine of its own, so that one that ends its goroutine, as
// testing.T.Fatal does, is told from one that returns. A panic is told of before it ends the process.
func runGuarded(p Program, env *Env, panics func(any)) error {
	err := errNoReturn
	done := make(chan struct{})
	go func() {
		defer func() {
			if r := recover(); r != nil {
				panics(r)
				flushReads()
				panic(r) // it ends the process, with the stack that it came from
			}
			close(done)
		}()
		returned := p.Run(context.Background(), env)
		err = returned
	}()
	<-done
	return err
}

// bystanders are the goroutines and the processes that the test started before the program began. A kill ends
// them, and each child has its own.
type bystanders struct {
	goroutines map[string]string
	processes  map[int]bool
}

// leftBehind returns what is still there of the program after Run returned.
func leftBehind(before bystanders, after *afterwards) error {
	stack := leaked(before.goroutines)
	if point, where := after.first(); point != "" {
		return fmt.Errorf("%sa goroutine passed %s after Run had returned, which the end of a real process would have cut off: wait for it in Run\n%s", misuseMark, point, where)
	}
	if stack != "" {
		return fmt.Errorf("%sRun returned and left a goroutine behind, which a kill would also end:\n%s", misuseMark, stack)
	}
	for hasChildren() {
		running, ending := newProcesses(before.processes)
		if !running && !ending {
			return nil
		}
		if !running {
			time.Sleep(time.Millisecond)
			continue
		}
		return fmt.Errorf("%sRun returned and left a process behind that it had started: wait for it, a kill does not end it; what a helper from before Run leaves when it ends counts, too", misuseMark)
	}
	return nil
}

// afterwards keeps the first point that is passed once Run has returned.
type afterwards struct {
	mu    sync.Mutex
	begun bool
	point string
	where string
}

func (a *afterwards) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun = true
}

// hasBegun reports whether Run has returned.
func (a *afterwards) hasBegun() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.begun
}

func (a *afterwards) keep(p faults.Point, where string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.point == "" {
		a.point, a.where = p.String(), where
	}
}

func (a *afterwards) first() (point, where string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.point, a.where
}

// callerLine is the nearest line of the stack that belongs neither to this module's wrappers nor to the
// libraries between them and the program.
func callerLine() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if f.File != "" && !inBetween(f) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// inBetween reports whether a frame is of the harness or the standard library.
func inBetween(f runtime.Frame) bool {
	const module = "github.com/paytwice/paytwice/"
	if strings.HasPrefix(f.Function, module+"faults") || strings.HasPrefix(f.Function, module+"explorer.") && !strings.HasSuffix(f.File, "_test.go") || strings.HasPrefix(f.Function, module+"explorer/child") {
		return true
	}
	return ofStandardLibrary(f.Function, modules())
}

// ofStandardLibrary reports whether a function is the standard library's: the first part of its package's path
// has no dot, and it is of no module that the binary was built from, whose path need not have one either.
func ofStandardLibrary(function string, modules []string) bool {
	if first, _, path := strings.Cut(function, "/"); path && strings.Contains(first, ".") || strings.HasPrefix(function, "main.") {
		return false
	}
	for _, module := range modules {
		rest, found := strings.CutPrefix(function, module)
		if found && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "_test.")) {
			return false
		}
	}
	return true
}

// modules returns the paths of the modules that this binary was built from.
var modules = sync.OnceValue(func() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	paths := []string{info.Main.Path}
	for _, m := range info.Deps {
		paths = append(paths, m.Path)
	}
	return paths
})
