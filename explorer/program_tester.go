package explorer

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// quiet takes what a server says about connections that a kill broke: that is the point of it.
var quiet = log.New(io.Discard, "", 0)

func regexpQuote(text string) string { return regexp.QuoteMeta(text) }

// tester is one call of Test in the parent.
type tester struct {
	t testing.TB
	p Program
	w *binaryWorld
}

func (s *tester) run() {
	s.t.Helper()
	if s.p.Run == nil {
		s.t.Fatal("paytwice: Program.Run is nil")
	}
	root, err := os.MkdirTemp(shared(), "paytwice-")
	if err != nil {
		s.t.Fatalf("paytwice: folder for the cases: %v", err)
	}
	s.t.Cleanup(func() { os.RemoveAll(root) })
	s.w = &binaryWorld{p: s.p, task: taskName(s.t), root: root,
		args: []string{"-test.run=" + runPattern(s.t.Name()), "-test.count=1", "-test.v=false"}}
	ctx := s.t.Context()
	if text := os.Getenv(EnvPlan); text != "" {
		s.one(ctx, text)
		return
	}
	s.undisturbed(ctx)
	s.explore(ctx)
}

// shared is the shared-memory file system where there is one.
func shared() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// one replays the plan that the environment names.
func (s *tester) one(ctx context.Context, text string) {
	s.t.Helper()
	plan, err := faults.Parse(text)
	if err != nil {
		s.t.Fatalf("paytwice: %s: %v", EnvPlan, err)
	}
	r, err := Replay(ctx, s.w, plan, s.options())
	if err != nil {
		s.t.Fatalf("paytwice: %v", err)
	}
	s.t.Logf("paytwice: plan %s\n%s", plan, timeline(r.History.Lives, nil))
	for _, v := range r.History.Broken {
		s.t.Errorf("paytwice: %s: %s", v.Invariant, v.Detail)
	}
}

func (s *tester) options() Options {
	return Options{Crashes: s.p.Crashes, Once: true, MaxRuns: s.p.MaxRuns, Workers: runtime.GOMAXPROCS(0), MaxLives: 8}
}

// undisturbed checks everything that can be wrong before the first kill.
func (s *tester) undisturbed(ctx context.Context) {
	s.t.Helper()
	start, err := s.w.Start(ctx)
	if err != nil {
		s.t.Fatalf("paytwice: %v", err)
	}
	first, second := s.life(ctx, start), s.life(ctx, start)
	switch {
	case first.Life.Hung:
		s.t.Fatalf("paytwice: the undisturbed run did not end within %s", s.p.Timeout)
	case first.Life.Ended != history.Done:
		s.t.Fatalf("paytwice: the undisturbed run ended with an error: %s", first.Life.Error)
	case len(first.Points) == 0:
		s.t.Fatal("paytwice: the program passes no point: wrap its database, HTTP client or files, or use faults.Point")
	}
	if d := s.difference(first, second); d != "" {
		s.t.Fatalf("paytwice: two undisturbed runs differ: %s\nset AnyOrder to go on by occurrence, where only the order differs", d)
	}
	state := first.Next.(*binaryState)
	if s.p.Provider != (provider.Profile{}) && len(state.provider.Received) == 0 {
		s.t.Fatal("paytwice: the provider was never called: is the program using Env.ProviderURL?")
	}
	s.checkWant(state)
}

func (s *tester) life(ctx context.Context, from State) Incarnation {
	s.t.Helper()
	inc, err := s.w.Run(ctx, from, nil)
	if err != nil {
		s.t.Fatalf("paytwice: %v", err)
	}
	if rest, ok := strings.CutPrefix(inc.Life.Error, leakMark); ok {
		s.t.Fatalf("paytwice: Run returned and left a goroutine behind, which a later kill would also end:\n%s", rest)
	}
	return inc
}

// difference returns the first point in which two runs differ, with AnyOrder only those that are missing.
func (s *tester) difference(a, b Incarnation) string {
	if s.p.AnyOrder {
		for _, pair := range [][2]Incarnation{{a, b}, {b, a}} {
			for _, p := range pair[0].Points {
				if !contains(pair[1].Points, p.Point) {
					return fmt.Sprintf("%s was passed in one run only", p.Point)
				}
			}
		}
		return ""
	}
	for i := range max(len(a.Points), len(b.Points)) {
		switch {
		case i >= len(a.Points):
			return fmt.Sprintf("only one passes a point %d, %s", i+1, b.Points[i].Point)
		case i >= len(b.Points):
			return fmt.Sprintf("only one passes a point %d, %s", i+1, a.Points[i].Point)
		case a.Points[i].Point != b.Points[i].Point:
			return fmt.Sprintf("point %d is %s in one and %s in the other", i+1, a.Points[i].Point, b.Points[i].Point)
		}
	}
	return ""
}

func contains(list []Passage, p faults.Point) bool {
	for _, q := range list {
		if q.Point == p {
			return true
		}
	}
	return false
}

// checkWant refuses a judge that can't fail.
func (s *tester) checkWant(end *binaryState) {
	s.t.Helper()
	if s.p.Want == nil {
		return
	}
	effects := effectsOf(end.provider)
	if broken := s.p.Want(effects); len(broken) > 0 {
		s.t.Fatalf("paytwice: Want does not hold for the undisturbed run: %s", broken[0].Detail)
	}
	if len(effects) == 0 {
		s.t.Fatal("paytwice: the undisturbed run has no effect, so there is nothing for Want to judge")
	}
	if len(s.p.Want(effects[1:])) == 0 {
		s.t.Fatal("paytwice: Want still holds when the first effect is dropped from the ledger: it can't find a lost write")
	}
	if len(s.p.Want(append(effects, effects[0]))) == 0 {
		s.t.Fatal("paytwice: Want still holds when the first effect is there twice: it can't find a double write")
	}
}

// explore kills at every point and reports what it found.
func (s *tester) explore(ctx context.Context) {
	s.t.Helper()
	r, err := Explore(ctx, s.w, s.options())
	if err != nil {
		s.t.Fatalf("paytwice: %v", err)
	}
	s.t.Logf("paytwice: %d plans of up to %d kills decided by %d incarnations, %d states, %d points", r.PlansCovered, s.p.Crashes, r.Runs, r.States, len(r.Points))
	for _, c := range r.Found {
		s.report(ctx, c)
	}
	if len(r.Found) == 0 && !r.Complete {
		s.t.Fatalf("paytwice: undecided: %s", r.LeftOut)
	}
}
