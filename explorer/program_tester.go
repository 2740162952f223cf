package explorer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// tester is one call of Test or Find in the parent.
type tester struct {
	t testing.TB
	p Program
	w *binaryWorld
}

// begun counts the calls of each running test, so that a child finds the one that it was started for.
var begun struct {
	sync.Mutex
	calls map[testing.TB]int
}

// taskName names the call: a test may call Test more than once.
func taskName(t testing.TB) string {
	begun.Lock()
	defer begun.Unlock()
	if begun.calls == nil {
		begun.calls = map[testing.TB]int{}
	}
	if begun.calls[t] == 0 {
		t.Cleanup(func() {
			begun.Lock()
			defer begun.Unlock()
			delete(begun.calls, t)
		})
	}
	begun.calls[t]++
	return fmt.Sprintf("test:%s#%d", t.Name(), begun.calls[t])
}

// begin returns what a call has to do, nil if nothing. In the child that was started for it, it lives one
// incarnation and never returns.
func begin(t testing.TB, p Program) *tester {
	t.Helper()
	p = p.withDefaults()
	task := taskName(t)
	switch os.Getenv(child.Env) {
	case "":
	case task:
		liveAndExit(t, p)
	default:
		return nil // a child on its way to another call
	}
	p.Want = oneAtATime(p.Want)
	s := &tester{t: t, p: p}
	s.checkProgram()
	// What children leave of t.TempDir goes with this: a kill, or the end of a life, comes before the cleanups.
	temp, err := os.MkdirTemp("", "paytwice")
	if err != nil {
		t.Fatalf("paytwice: folder for what children leave: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	root, err := child.CaseFolder()
	if err != nil {
		t.Fatalf("paytwice: folder for the cases: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	t.Cleanup(func() { endLeft(root) })
	path, err := os.Executable()
	if err != nil {
		t.Fatalf("paytwice: the test binary: %v", err)
	}
	seen := &reads{seen: map[string]bool{}}
	t.Cleanup(seen.again)
	s.w = &binaryWorld{p: p, path: path, task: task, root: root, temp: temp, reads: seen, args: append([]string{"-test.run=" + runPattern(t.Name()), "-test.count=1", "-test.v"}, inherited(startArgs)...)}
	return s
}

func (s *tester) checkProgram() {
	s.t.Helper()
	switch s.t.(type) {
	case *testing.B, *testing.F:
		s.t.Fatal("paytwice: a child can be started for a test only, not for a benchmark or a fuzz target")
	}
	switch {
	case s.p.Run == nil:
		s.t.Fatal("paytwice: Program.Run is nil")
	case s.p.Want == nil && s.p.hasProvider():
		s.t.Fatal("paytwice: Program.Want is nil and there is a provider: nobody judges the provider's ledger, so a double write would pass; set Want, such as explorer.ExactlyOnce(\"order-1\"), or leave Provider out")
	case s.p.Crashes < 0 || s.p.AtOnce < 0 || s.p.MaxRuns < 0 || s.p.Timeout < 0 || s.p.Downtime < 0 || s.p.MaxLives < 0:
		s.t.Fatal("paytwice: Crashes, AtOnce, MaxRuns, Timeout, Downtime and MaxLives are not negative")
	case faults.Off:
		s.t.Fatal("paytwice: built with the tag paytwice_off: no point can strike")
	case !child.Supported:
		s.t.Skip("paytwice: processes can't be killed and checked on " + runtime.GOOS)
	}
}

// run returns the smallest plan of each kind that breaks something.
func (s *tester) run() []Counterexample {
	s.t.Helper()
	ctx := s.t.Context()
	if text := os.Getenv(EnvPlan); text != "" {
		return s.one(ctx, text)
	}
	s.undisturbed(ctx)
	return s.explore(ctx)
}

// one replays the plan that the environment names.
func (s *tester) one(ctx context.Context, text string) []Counterexample {
	s.t.Helper()
	plan, err := faults.Parse(text)
	if err != nil {
		s.t.Fatalf("paytwice: %s: %v", EnvPlan, err)
	}
	s.w.lines.Store(true)
	for _, life := range plan {
		for _, e := range life {
			if e.Verb != faults.Kill && !(e.Point.Seam == providerSeam && s.w.Accepts(e.Point.Site, e.Verb)) {
				s.t.Fatalf("paytwice: %s: %q: beside kills only the provider's answers can be injected", EnvPlan, e)
			}
		}
	}
	r, err := Replay(ctx, s.w, plan, s.options())
	var unreached *UnreachedError
	switch {
	case errors.As(err, &unreached):
		s.t.Fatalf("paytwice: %s: %v\n%s=run go test -v shows the points", EnvPlan, err, EnvPlan)
	case err != nil:
		s.t.Fatalf("paytwice: %s: %v", EnvPlan, err)
	}
	s.t.Logf("paytwice: plan %s\n%s", plan, s.timeline(r.History.Lives, whole))
	var found []Counterexample
	for _, v := range r.History.Broken {
		found = append(found, Counterexample{Violation: v, Plan: plan, Effects: len(r.History.Ledger)})
	}
	return found
}

func (s *tester) options() Options {
	return Options{Crashes: s.p.Crashes, Once: true, MaxRuns: s.p.MaxRuns, Workers: runtime.GOMAXPROCS(0), MaxLives: s.p.MaxLives}
}

// undisturbed checks everything that can be wrong before the first kill, with one process even where a life
// has several: what it finds must not depend on how they meet.
func (s *tester) undisturbed(ctx context.Context) {
	s.t.Helper()
	p := s.p
	p.AtOnce = 1
	alone := &binaryWorld{p: p, path: s.w.path, task: s.w.task, root: filepath.Join(s.w.root, "alone"), temp: s.w.temp, args: s.w.args, reads: s.w.reads}
	if err := os.Mkdir(alone.root, 0o755); err != nil {
		s.t.Fatalf("paytwice: %v", err)
	}
	alone.lines.Store(true)
	start, err := alone.Start(ctx)
	if err != nil {
		s.t.Fatalf("paytwice: %v", err)
	}
	first := s.life(ctx, alone, start)
	if len(first.Points) == 0 {
		s.t.Fatal("paytwice: the program passes no point: wrap its database, HTTP client or files, or use faults.Here")
	}
	second := s.life(ctx, alone, start)
	if d := s.difference(first, second); d != "" {
		s.t.Fatalf("paytwice: two undisturbed runs differ: %s\n%s", d, whyDifferent(first, second))
	}
	state := first.Next.(*binaryState)
	if s.p.hasProvider() && len(state.provider.Received) == 0 {
		s.t.Fatal("paytwice: the provider was never called: is the program using Env.ProviderURL?\nor " + keptElsewhere + ", and find its work done there?")
	}
	s.checkWant(state)
	s.w.learn(alone)
}

// life lives one undisturbed incarnation, and refuses one that did not end well.
func (s *tester) life(ctx context.Context, w *binaryWorld, from State) Incarnation {
	s.t.Helper()
	inc, err := w.Run(ctx, from, nil)
	switch {
	case err != nil:
		s.t.Fatalf("paytwice: %v", err)
	case inc.Life.Hung:
		s.t.Fatalf("paytwice: the undisturbed run did not end within %s and was ended\n%s", s.p.Timeout, inc.Life.Output)
	case inc.Next.(*binaryState).failed != "":
		s.t.Fatalf("paytwice: Run failed the test, undisturbed as it was:\n    %s", inc.Next.(*binaryState).failed)
	case inc.Life.Ended != history.Done:
		s.t.Fatalf("paytwice: the undisturbed run ended with an error: %s\n%s", inc.Life.Error, inc.Life.Output)
	}
	return inc
}

// checkWant refuses a judge that can't fail.
func (s *tester) checkWant(end *binaryState) {
	s.t.Helper()
	if s.p.Want == nil {
		return
	}
	effects := effectsOf(end.provider)
	if broken := s.p.broken(effects); len(broken) > 0 {
		s.t.Fatalf("paytwice: Want does not hold for the undisturbed run: %s", broken[0].Detail)
	}
	if len(effects) == 0 {
		s.t.Fatal("paytwice: the undisturbed run has no effect, so there is nothing for Want to judge\n" + keptElsewhere + ", and find its work done there?")
	}
	for i, e := range effects {
		if len(s.p.Want(append(append([]history.Effect{}, effects[:i]...), effects[i+1:]...))) == 0 {
			s.t.Fatalf("paytwice: Want still holds when effect %d, %s of %s, is dropped from the ledger: it can't find a lost write", i+1, e.Tool, e.Subject)
		}
		if len(s.p.Want(append(append([]history.Effect{}, effects...), again(e, len(effects))))) == 0 {
			s.t.Fatalf("paytwice: Want still holds when effect %d, %s of %s, is there twice: it can't find a double write", i+1, e.Tool, e.Subject)
		}
	}
}

// again is what a second request of the same leaves in a ledger of so many effects: a record of its own.
func again(e history.Effect, effects int) history.Effect {
	e.Seq, e.RecordID, e.OperationID = effects+1, e.RecordID+"-again", e.OperationID+"-again"
	return e
}

// oneAtATime lets a judge keep what it likes: the search asks from several goroutines.
func oneAtATime(want Want) Want {
	if want == nil {
		return nil
	}
	var one sync.Mutex
	return func(effects []history.Effect) []history.Violation {
		one.Lock()
		defer one.Unlock()
		return want(effects)
	}
}

// explore kills at every point and says what that covered.
func (s *tester) explore(ctx context.Context) []Counterexample {
	s.t.Helper()
	r, err := Explore(ctx, s.w, s.options())
	var unreached *UnreachedError
	switch {
	case errors.As(err, &unreached):
		s.t.Fatalf("paytwice: %v\nan earlier run from the same state passed it: the program goes another way from run to run, or ended by itself before it came there\n%s?", err, keptElsewhere)
	case err != nil:
		s.t.Fatalf("paytwice: %v", err)
	}
	covered := s.w.coverage()
	s.t.Logf("paytwice: %d plans of up to %d kills decided by %d incarnations, %d states; %s", r.PlansCovered, s.p.Crashes, r.Runs, r.States, covered)
	if name := os.Getenv(EnvCoverage); name != "" {
		sum, err := covered.addTo(name)
		if err != nil {
			s.t.Fatalf("paytwice: %s: %v", EnvCoverage, err)
		}
		s.t.Logf("paytwice: with the tests before it: %s", sum)
	}
	if len(r.Found) == 0 && !r.Complete {
		s.t.Fatalf("paytwice: undecided: %s", r.LeftOut)
	}
	if len(r.Found) == 0 && len(r.Points) == 0 {
		s.t.Fatal("paytwice: nothing was killed: the run that was searched passes no point, although an earlier one did")
	}
	return r.Found
}

// runPattern returns the -test.run pattern of exactly one test or subtest.
func runPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
