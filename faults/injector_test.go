package faults_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
)

var (
	saveSite = faults.Site{Seam: "checkpoint", Operation: "save"}
	callSite = faults.Site{Seam: "payment", Operation: "request_refund"}
)

func life(t testing.TB, text string) faults.Life {
	t.Helper()
	p, err := faults.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p.Life(0)
}

// program saves, calls and saves again on a seam that passes every position, and notes what it did. Its
// deferred clean-up tries one more save.
type program struct {
	in      *faults.Injector
	did     []string
	cleanup error
}

func (p *program) call(site faults.Site) error {
	c, err := p.in.Enter(site)
	if err != nil {
		return err
	}
	c.At(faults.Before)
	c.At(faults.DuringLost)
	if e, struck := c.Fault(); struck {
		p.did = append(p.did, string(e.Verb))
	} else {
		p.did = append(p.did, fmt.Sprintf("%s %d", site.Operation, c.N()))
	}
	c.At(faults.During)
	c.At(faults.After)
	return nil
}

func (p *program) live() error {
	defer func() { p.cleanup = p.call(saveSite) }()
	return errors.Join(p.call(saveSite), p.call(callSite), p.call(saveSite))
}

func TestInjector_NumbersCallsAndPoints(t *testing.T) {
	var passed []string
	p := &program{in: faults.NewInjector(nil, faults.Options{Pass: func(p faults.Point) { passed = append(passed, p.String()) }})}
	_, crashed, err := faults.Catch(p.live)
	same(t, "crashed, error", [2]any{crashed, err}, [2]any{false, nil})
	same(t, "did", p.did, []string{"save 1", "request_refund 1", "save 2", "save 3"})
	same(t, "first points", passed[:5], []string{"checkpoint.save/before#1", "checkpoint.save/during-lost#1", "checkpoint.save/during#1",
		"checkpoint.save/after#1", "payment.request_refund/before#1"})
	same(t, "points", len(passed), 16)
	same(t, "dead", p.in.Dead(), false)
}

// A kill at each position: what was done before it stays done, nothing after it is, and the clean-up is
// refused.
func TestInjector_KillAtEachPosition(t *testing.T) {
	for _, c := range []struct {
		at  string
		did string
	}{
		{"checkpoint.save/before#1", ""},
		{"checkpoint.save/during-lost#1", ""},
		{"checkpoint.save/during#1", "save 1"},
		{"checkpoint.save/after#1", "save 1"},
		{"payment.request_refund/before#1", "save 1"},
		{"payment.request_refund/during-lost#1", "save 1"},
		{"payment.request_refund/during#1", "save 1, request_refund 1"},
		{"payment.request_refund/after#1", "save 1, request_refund 1"},
		{"checkpoint.save/before#2", "save 1, request_refund 1"},
		{"checkpoint.save/after#2", "save 1, request_refund 1, save 2"},
	} {
		t.Run(c.at, func(t *testing.T) {
			p := &program{in: faults.NewInjector(life(t, "kill "+c.at), faults.Options{})}
			at, crashed, err := faults.Catch(p.live)
			same(t, "struck, error", [3]any{at.String(), crashed, err}, [3]any{c.at, true, nil})
			same(t, "did", strings.Join(p.did, ", "), c.did)
			if !errors.Is(p.cleanup, faults.ErrCrashed) {
				t.Errorf("the clean-up got %v", p.cleanup)
			}
			same(t, "dead", p.in.Dead(), true)
			same(t, "unreached", p.in.Unreached(), []faults.Event(nil))
		})
	}
}

func TestInjector_Unreached(t *testing.T) {
	for _, c := range []struct {
		plan, want string
	}{
		{"kill checkpoint.save/after#3", ""}, // in the clean-up
		{"kill checkpoint.save/after#4", "kill checkpoint.save/after#4"},
		{"kill payment.refund/after#1", "kill payment.refund/after#1"},
		{"kill checkpoint.save/before#1, kill payment.request_refund/after#1", "kill payment.request_refund/after#1"},
		{"refuse payment.request_refund/during#2", "refuse payment.request_refund/during#2"},
		{"refuse payment.request_refund/during#1", ""},
		{"lag 5s payment.request_refund/during#1, refuse payment.request_refund/during#1", "refuse payment.request_refund/during#1"},
		{"pause 1s checkpoint.save/during-lost#2", ""},
		{"advance 25h, world w, resumers 2", ""},
	} {
		t.Run(c.plan, func(t *testing.T) {
			p := &program{in: faults.NewInjector(life(t, c.plan), faults.Options{})}
			_, _, _ = faults.Catch(p.live)
			same(t, "unreached", strings.TrimPrefix(faults.Life(p.in.Unreached()).String(), "run"), c.want)
		})
	}
}

// Other faults strike the call they name, once, and leave the process alive.
func TestInjector_Fault(t *testing.T) {
	for _, verb := range []string{"lose-request", "lose-response", "unavailable", "refuse", "deliver-late 1s", "lag 1s"} {
		t.Run(verb, func(t *testing.T) {
			p := &program{in: faults.NewInjector(life(t, verb+" checkpoint.save/during#2"), faults.Options{})}
			_, crashed, err := faults.Catch(p.live)
			same(t, "crashed, error", [2]any{crashed, err}, [2]any{false, nil})
			same(t, "did", p.did, []string{"save 1", "request_refund 1", strings.Fields(verb)[0], "save 3"})
		})
	}
}

// A pause at a point comes before a kill there, and the life goes on after it.
func TestInjector_Pause(t *testing.T) {
	var paused []faults.Event
	plan := life(t, "kill checkpoint.save/after#2, pause 2m checkpoint.save/after#2, pause 1s checkpoint.save/before#1")
	p := &program{in: faults.NewInjector(plan, faults.Options{Paused: func(e faults.Event) { paused = append(paused, e) }})}
	_, crashed, _ := faults.Catch(p.live)
	same(t, "crashed", crashed, true)
	same(t, "paused", faults.Life(paused).String(), "pause 1s checkpoint.save/before#1, pause 2m checkpoint.save/after#2")
	same(t, "duration", paused[1].Duration, 2*time.Minute)
}

// What is decided on the other side of the seam neither passes nor strikes on this one.
func TestInjector_DuringElsewhere(t *testing.T) {
	var passed []string
	plan := life(t, "kill payment.request_refund/during#1, kill payment.request_refund/during-lost#1, refuse payment.request_refund/during#1, kill payment.request_refund/after#1")
	p := &program{in: faults.NewInjector(plan, faults.Options{DuringElsewhere: true, Pass: func(p faults.Point) { passed = append(passed, p.String()) }})}
	at, crashed, _ := faults.Catch(p.live)
	same(t, "struck", [2]any{at.String(), crashed}, [2]any{"payment.request_refund/after#1", true})
	same(t, "did", p.did, []string{"save 1", "request_refund 1"})
	same(t, "passed", passed, []string{"checkpoint.save/before#1", "checkpoint.save/after#1", "payment.request_refund/before#1", "payment.request_refund/after#1"})
	same(t, "unreached", len(p.in.Unreached()), 3)
}

// Options.Crash ends the life in its own way.
func TestInjector_OwnCrash(t *testing.T) {
	type gone struct{ at string }
	p := &program{in: faults.NewInjector(life(t, "kill checkpoint.save/before#1"), faults.Options{Crash: func(p faults.Point) { panic(gone{p.String()}) }})}
	defer func() {
		same(t, "panic", recover() == any(gone{"checkpoint.save/before#1"}), true)
		same(t, "dead", p.in.Dead(), true)
	}()
	_, _, _ = faults.Catch(p.live)
	t.Error("Catch took a panic that is none of its own")
}

func TestCatch(t *testing.T) {
	broken := errors.New("broken")
	_, crashed, err := faults.Catch(func() error { return broken })
	same(t, "crashed", crashed, false)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	for name, value := range map[string]any{"text": "a bug", "error": broken, "error of a crash": faults.ErrCrashed, "point": faults.Point{}} {
		t.Run(name, func(t *testing.T) {
			defer func() { same(t, "raised again", recover() == value, true) }()
			_, _, _ = faults.Catch(func() error { panic(value) })
			t.Error("swallowed")
		})
	}
}

// A wrapped program can't hide its crash by recovering: whatever it does next is refused.
func TestCatch_RecoveredByTheProgram(t *testing.T) {
	p := &program{in: faults.NewInjector(life(t, "kill checkpoint.save/after#1"), faults.Options{})}
	_, crashed, err := faults.Catch(func() (err error) {
		func() {
			defer func() { _ = recover() }()
			_ = p.call(saveSite)
		}()
		return p.call(callSite)
	})
	same(t, "crashed", crashed, false)
	if !errors.Is(err, faults.ErrCrashed) {
		t.Errorf("got %v", err)
	}
	same(t, "did", p.did, []string{"save 1"})
}

// Numbers count calls per site in the order of entry, whoever enters; each number is given once.
func TestInjector_Concurrent(t *testing.T) {
	in := faults.NewInjector(nil, faults.Options{})
	var seen [2][101]bool
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 100 {
		for i, site := range []faults.Site{saveSite, callSite} {
			group.Go(func() {
				c, err := in.Enter(site)
				mu.Lock()
				defer mu.Unlock()
				if err != nil || seen[i][c.N()] {
					t.Errorf("%s got %d: %v", site, c.N(), err)
				}
				seen[i][c.N()] = true
			})
		}
	}
	group.Wait()
}

// The same life and the same calls strike at the same place.
func TestInjector_Deterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sites := rapid.SliceOfN(rapid.SampledFrom([]faults.Site{saveSite, callSite}), 1, 12).Draw(t, "calls")
		at := faults.Point{Site: rapid.SampledFrom([]faults.Site{saveSite, callSite}).Draw(t, "site"),
			Position: faults.Position(rapid.IntRange(0, 3).Draw(t, "position")), N: rapid.IntRange(1, 6).Draw(t, "n")}
		calls := 0
		for _, s := range sites {
			if s == at.Site {
				calls++
			}
		}
		for range 2 {
			p := &program{in: faults.NewInjector(faults.Life{faults.KillAt(at)}, faults.Options{})}
			struck, crashed, _ := faults.Catch(func() error {
				for _, s := range sites {
					if err := p.call(s); err != nil {
						return err
					}
				}
				return nil
			})
			if crashed != (at.N <= calls) || crashed && struck != at || crashed == (len(p.in.Unreached()) > 0) {
				t.Fatalf("planned %s over %d calls: crashed %t at %s", at, calls, crashed, struck)
			}
		}
	})
}
