package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// panicky is a program of two steps: it notes that it came here, then asks the world outside. What it does where a
// life before it left its note is its recovery.
type panicky struct {
	recovery func(ctx context.Context, h *scenarios.Hands) error
	world    scenarios.Service
}

var noted, asked = faults.Site{Seam: "notes", Operation: "add"}, faults.Site{Seam: "desk", Operation: "ask"}

func note(ctx context.Context, h *scenarios.Hands) (struct{}, error) {
	return scenarios.Local(ctx, h, noted, scenarios.Told[struct{}]{},
		func(ctx context.Context) (struct{}, error) { return struct{}{}, h.Texts.Replace(ctx, "notes", "here") })
}

func ask(ctx context.Context, h *scenarios.Hands) error {
	_, err := scenarios.Call(ctx, h, asked, "well?", scenarios.Told[string]{})
	return err
}

func (p panicky) live(ctx context.Context, h *scenarios.Hands) (history.End, error) {
	if _, ok, err := h.Texts.Read(ctx, "notes"); err != nil {
		return history.Failed, err
	} else if ok && p.recovery != nil {
		return history.Done, p.recovery(ctx, h)
	}
	_, err := note(ctx, h)
	return history.Done, errors.Join(err, ask(ctx, h))
}

// small is the program in both modes; its task says to a child of the test binary what it is.
func (p panicky) small(name string) *scenarios.Small {
	if p.world == nil {
		p.world = answering{}
	}
	return &scenarios.Small{Task: panickyTask, Form: name, Live: p.live,
		World:     func(scenarios.Texts, func() time.Time) scenarios.Service { return p.world },
		Canonical: func(texts map[string]string, _ time.Time) string { return texts["notes"] },
		Outcome:   func(map[string]string, time.Time) *check.Outcome { return &check.Outcome{NoTrail: true} },
		Accepts:   func(site faults.Site, v faults.Verb) bool { return v == faults.Pause || site == asked }}
}

func (p panicky) scenario(name string) scenarios.Scenario {
	return scenarios.Scenario{Name: name,
		Simulate: func(scenarios.Setting) (explorer.World, error) { return p.small(name).Simulated(), nil },
		Program:  func(scenarios.Setting) (scenarios.Program, error) { return p.small(name).Process(), nil },
		Settings: func(scenarios.Setting) (check.Settings, error) { return check.Settings{}, nil }}
}

// answering is a world outside that answers everything.
type answering struct{}

func (answering) Call(context.Context, faults.Site, []byte) (any, error) { return "yes", nil }
func (answering) Happen(context.Context, string) error                   { return nil }

// broken is one that breaks down where nothing undisturbed comes.
type broken struct{ answering }

func (broken) Call(_ context.Context, _ faults.Site, body []byte) (any, error) {
	if string(body) == `"really?"` {
		panic("the desk broke down")
	}
	return "yes", nil
}

const panickyTask = "panicky"

// panickyMain is the main of the test binary as a child that runs a panicky.
func panickyMain() {
	if os.Getenv(child.Env) != panickyTask {
		return
	}
	seat, err := child.Attach()
	var name string
	if err == nil {
		err = json.Unmarshal(seat.Order.Config, &name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	seat.End(scenarios.LiveSmall(context.Background(), seat, panicking[name].small(name)))
	os.Exit(0)
}

type coded int

func (c coded) String() string { return fmt.Sprintf("code %d", int(c)) }

// dies is a recovery that panics with a value.
func dies(value any) panicky {
	return panicky{recovery: func(context.Context, *scenarios.Hands) error { panic(value) }}
}

// panicking are programs whose recoveries panic, each in a way of its own.
var panicking = map[string]panicky{
	"text":         dies("own panic"),
	"two lines":    dies("own panic\nin two lines"),
	"error":        dies(errors.New("own error")),
	"number":       dies(7),
	"named number": dies(coded(7)),
	"nil":          dies(nil),
	"nil dereference": {recovery: func(_ context.Context, h *scenarios.Hands) error {
		var at *scenarios.Setting
		return errors.New(at.Ticket)
	}},
	"out of range": {recovery: func(_ context.Context, h *scenarios.Hands) error {
		return errors.New(strings.Split("a", ",")[len(h.Seat.Now().String())])
	}},
	"in a library": {recovery: func(_ context.Context, h *scenarios.Hands) error {
		return errors.New(strings.Repeat("a", -len(h.Seat.Now().String())))
	}},
	"past a seam": {recovery: func(ctx context.Context, h *scenarios.Hands) error {
		_ = ask(ctx, h)
		panic("own panic")
	}},
	"within a step": {recovery: func(ctx context.Context, h *scenarios.Hands) error {
		_, err := scenarios.Local(ctx, h, noted, scenarios.Told[struct{}]{}, func(context.Context) (struct{}, error) { panic("own panic") })
		return err
	}},
}

// TestPanics_ModesAgree: a recovery that panics ends its life in an error, in memory as in a process, and is
// started again without an end.
func TestPanics_ModesAgree(t *testing.T) {
	if !child.Supported {
		t.Skip("processes can't really be killed here")
	}
	for name, p := range panicking {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := scenarios.Explorations(t.Context(), p.scenario(name), 1)
			if err != nil {
				t.Fatal(err)
			}
			if different := a.Difference(); different != "" {
				t.Error(different)
			}
			if f := a.Simulated.Found; len(f) != 1 || f[0].Invariant != "never-ends" {
				t.Fatalf("found %v", f)
			}
			said := map[string]string{}
			for mode, w := range worlds(t, name) {
				r, err := explorer.Replay(t.Context(), w, a.Simulated.Found[0].Plan, explorer.Options{Once: true, MaxLives: 2})
				if err != nil {
					t.Fatal(err)
				}
				last := r.History.Lives[len(r.History.Lives)-1]
				said[mode] = fmt.Sprintf("%s %s", last.Ended, last.Error)
			}
			if said["simulated"] != said["killed"] || !strings.HasPrefix(said["simulated"], "error panic: ") {
				t.Errorf("%q", said)
			}
		})
	}
}

// TestPanics_OfTheHarness: what the world outside, a seam or the search dies of is no error of the life, whatever the
// program makes of it on the way.
func TestPanics_OfTheHarness(t *testing.T) {
	really := func(ctx context.Context, h *scenarios.Hands) error {
		_, err := scenarios.Call(ctx, h, asked, "really?", scenarios.Told[string]{})
		return err
	}
	for name, p := range map[string]panicky{
		"outside": {really, broken{}},
		"outside, raised again": {func(ctx context.Context, h *scenarios.Hands) error {
			defer func() { panic(recover()) }()
			return really(ctx, h)
		}, broken{}},
		"outside, another raised": {func(ctx context.Context, h *scenarios.Hands) error {
			defer func() { panic("own panic") }()
			return really(ctx, h)
		}, broken{}},
		"outside, in a clean-up": {func(ctx context.Context, h *scenarios.Hands) error {
			defer func() { _ = really(ctx, h) }()
			panic("own panic")
		}, broken{}},
		"a seam": {func(ctx context.Context, h *scenarios.Hands) error {
			_, err := scenarios.Take(ctx, h.Seat, scenarios.Step[string]{Site: noted})
			return err
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, o := p.small(name).Simulated(), explorer.Options{Crashes: 1, Workers: 2, Timeout: time.Hour}
			_, err := explorer.Explore(t.Context(), w, o)
			var panicked *explorer.PanicError
			if !errors.As(err, &panicked) || panicked.Plan.String() != "kill notes.add/after#1; run" {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestPanics_WhileDying: what a clean-up does while a crash unwinds the life changes nothing: a killed process does
// not come to it.
func TestPanics_WhileDying(t *testing.T) {
	p := panicky{}
	small := p.small("while dying")
	live := small.Live
	small.Live = func(ctx context.Context, h *scenarios.Hands) (history.End, error) {
		defer func() {
			if r := recover(); r != nil {
				panic("own panic while dying")
			}
		}()
		return live(ctx, h)
	}
	r, err := explorer.Explore(t.Context(), small.Simulated(), explorer.Options{Crashes: 2})
	if err != nil || len(r.Found) > 0 {
		t.Fatalf("%v, found %v", err, r.Found)
	}
	again, err := explorer.Replay(t.Context(), small.Simulated(), parsed(t, "kill notes.add/after#1"), explorer.Options{})
	if err != nil || again.History.Lives[0].Ended != history.Killed || again.History.Lives[0].At != "notes.add/after#1" {
		t.Errorf("%v: %+v", err, again.History.Lives)
	}
}

// TestPanics_OfAnother: a process that lives while the first stands still may die of its own; the first goes on.
func TestPanics_OfAnother(t *testing.T) {
	plan := parsed(t, "pause 2m notes.add/after#1")
	for name, world := range worlds(t, "text") {
		r, err := explorer.Replay(t.Context(), world, plan, explorer.Options{Once: true})
		if err != nil || len(r.History.Lives) != 1 || r.History.Lives[0].Ended != history.Done {
			t.Errorf("%s: %v: %+v", name, err, r.History.Lives)
		}
	}
}

// worlds returns a panicking program in both modes.
func worlds(t *testing.T, name string) map[string]explorer.World {
	t.Helper()
	small := panicking[name].small(name)
	out := map[string]explorer.World{"simulated": small.Simulated()}
	if child.Supported {
		killed, err := scenarios.NewKilled(t.Context(), small.Process(), scenarios.KillOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = killed.Close() })
		out["killed"] = killed
	}
	return out
}

// TestPanics_Gone: a recovery that ends its goroutine ends the search, which names the plan, long before the time-out.
func TestPanics_Gone(t *testing.T) {
	w := panicky{recovery: func(context.Context, *scenarios.Hands) error { runtime.Goexit(); return nil }}.small("gone").Simulated()
	for _, workers := range []int{1, 2} {
		_, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: 1, Workers: workers, Timeout: time.Hour})
		var gone *explorer.GoneError
		if !errors.As(err, &gone) || gone.Plan.String() != "kill notes.add/after#1; run" {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

func parsed(t *testing.T, text string) faults.Plan {
	t.Helper()
	plan, err := faults.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
