package explorer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// A toy program is a list of steps over a durable state of a few small numbers. Each life begins at the
// step after the last save.
type step struct {
	// Kind is save (remember the place), pay (make change K), safe (make it unless it is there), mark
	// (note it as made, then make it), late (make it only in a life after one that came here), flaky (end in
	// an error until tried K+1 times), hand (end with a person if change 0 is there twice).
	Kind string
	K    int
}

// toy implements explorer.World over a program. It is pure: a run changes nothing but what it returns.
type toy struct {
	steps []step
	// blind gives no snapshots: a kill must really be carried out.
	blind bool
	// odd makes every other run of the same life another one, in a way of its own.
	odd string
	// stuck ends every life in the same error.
	stuck bool

	runs atomic.Int64
}

// durable is what survives a life. Lives only counts: nothing decides by it, so it is not in the key.
type durable struct {
	PC    int
	Count [2]int
	Done  [2]bool
	Tries int
	lives int
}

func (d durable) Key() string {
	text, _ := json.Marshal(d)
	return string(text)
}

// toySettings judges what a toy can break.
var toySettings = check.Settings{SendsKey: true, MaxCalls: 2, Only: []string{"double-write", "lost-write", "attempts", "never-ends"}}

func (w *toy) Start(context.Context) (explorer.State, error) { return durable{}, nil }

func (w *toy) Accepts(site faults.Site, verb faults.Verb) bool {
	return site.Operation == "pay" && (verb == faults.LoseRequest || verb == faults.LoseResponse || verb == faults.Unavailable)
}

func (w *toy) Outcome(_ context.Context, s explorer.State) (*check.Outcome, error) {
	d := s.(durable)
	o := &check.Outcome{NoTrail: true}
	for _, st := range w.steps {
		if st.Kind == "pay" || st.Kind == "safe" || st.Kind == "mark" {
			o.Intents = append(o.Intents, history.Intent{ID: fmt.Sprint("intent-", st.K)})
		}
	}
	for k, n := range d.Count {
		for range n {
			o.Ledger = append(o.Ledger, history.Effect{Intent: fmt.Sprint("intent-", k), Seq: len(o.Ledger) + 1})
		}
	}
	return o, nil
}

// toyLife is one life under way.
type toyLife struct {
	w   *toy
	d   durable
	in  *faults.Injector
	inc explorer.Incarnation
	odd bool
}

func (w *toy) Run(ctx context.Context, from explorer.State, life faults.Life) (explorer.Incarnation, error) {
	if err := ctx.Err(); err != nil {
		return explorer.Incarnation{}, err
	}
	l := &toyLife{w: w, d: from.(durable), odd: w.runs.Add(1)%2 == 0}
	l.d.lives++
	for _, e := range life {
		switch e.Name {
		case "tried":
			l.d.Tries = max(l.d.Tries, 1)
		case "paid":
			l.d.Count[0] = min(l.d.Count[0]+1, 3)
		}
	}
	l.in = faults.NewInjector(life, faults.Options{Pass: l.pass})
	var end history.End
	at, crashed, err := faults.Catch(func() (err error) {
		end, err = l.live()
		return err
	})
	l.inc.Life.Ended = end
	if crashed {
		l.inc.Life.Ended, l.inc.Life.At = history.Killed, at.String()
	} else if err != nil {
		l.inc.Life.Ended, l.inc.Life.Error = history.Failed, err.Error()
	}
	l.inc.Unreached = l.in.Unreached()
	l.inc.Next = l.d
	return l.inc, nil
}

func (l *toyLife) pass(p faults.Point) {
	passage := explorer.Passage{Point: p, Events: len(l.inc.Life.Events)}
	if !l.w.blind {
		passage.State = l.d
	}
	l.inc.Points = append(l.inc.Points, passage)
}

func (l *toyLife) event(c faults.Call, site faults.Site, pos faults.Position, fill func(*history.Event)) {
	e := history.Event{N: len(l.inc.Life.Events) + 1, Seam: site.Seam, Operation: site.Operation, Position: pos.String(), Call: c.N()}
	if fill != nil {
		fill(&e)
	}
	l.inc.Life.Events = append(l.inc.Life.Events, e)
	c.At(pos)
}

// local is a call whose effect nobody outside can lose.
func (l *toyLife) local(operation string, do func()) {
	site := faults.Site{Seam: "store", Operation: operation}
	c, err := l.in.Enter(site)
	if err != nil {
		panic(err)
	}
	l.event(c, site, faults.Before, nil)
	do()
	l.event(c, site, faults.After, nil)
}

func (l *toyLife) pay(k int) error {
	site := faults.Site{Seam: "service", Operation: "pay"}
	for {
		c, err := l.in.Enter(site)
		if err != nil {
			return err
		}
		request := func(e *history.Event) {
			e.Request = &history.Request{Write: true, Intent: fmt.Sprint("intent-", k), Key: "k"}
		}
		l.event(c, site, faults.Before, request)
		l.event(c, site, faults.DuringLost, nil)
		f, struck := c.Fault()
		if !struck || f.Verb == faults.LoseResponse {
			l.d.Count[k] = min(l.d.Count[k]+1, 3)
		}
		l.event(c, site, faults.During, func(e *history.Event) { e.Injected = string(f.Verb) })
		l.event(c, site, faults.After, nil)
		switch {
		case !struck:
			return nil
		case f.Verb != faults.Unavailable:
			return fmt.Errorf("no answer (%s)", f.Verb)
		}
	}
}

func (l *toyLife) live() (history.End, error) {
	if l.odd && l.w.odd == "events" {
		l.local("extra", func() {})
	}
	for i := l.d.PC; i < len(l.w.steps); i++ {
		st := l.w.steps[i]
		switch st.Kind {
		case "save":
			l.local("save", func() { l.d.PC = i + 1 })
		case "safe":
			there := false
			l.local("ask", func() { there = l.d.Count[st.K] > 0 })
			if there {
				continue
			}
		case "mark":
			if l.d.Done[st.K] {
				continue
			}
			l.local("mark", func() { l.d.Done[st.K] = true })
		case "late":
			if l.d.Tries == 0 {
				l.local("note", func() { l.d.Tries = 1 })
				continue
			}
		case "flaky":
			l.local("try", func() { l.d.Tries = min(l.d.Tries+1, 3) })
			if l.d.Tries < st.K+1 {
				return "", fmt.Errorf("try %d failed", l.d.Tries)
			}
		case "hand":
			if l.d.Count[0] > 1 {
				return history.Person, nil
			}
		}
		if st.Kind == "pay" || st.Kind == "safe" || st.Kind == "mark" || st.Kind == "late" {
			if err := l.pay(st.K); err != nil {
				return "", err
			}
		}
	}
	switch {
	case l.w.stuck:
		return "", fmt.Errorf("stuck")
	case l.odd && l.w.odd == "state":
		l.d.Tries++
	case l.odd && l.w.odd == "end":
		return history.Person, nil
	case l.odd && l.w.odd == "what":
		l.inc.Life.Events[0].What = "another sentence"
	case l.odd && l.w.odd == "decision":
		l.inc.Life.Events[0].Decision = &history.Decision{Run: "r", Step: 2}
	case l.odd && l.w.odd == "error":
		return "", fmt.Errorf("odd")
	}
	return history.Done, nil
}

// program parses a toy such as "pay0 save flaky1".
func program(text string) *toy {
	w := &toy{}
	for _, word := range strings.Fields(text) {
		k := 0
		if last := word[len(word)-1]; last >= '0' && last <= '9' {
			k, word = int(last-'0'), word[:len(word)-1]
		}
		w.steps = append(w.steps, step{word, k})
	}
	return w
}

// programs draws toys of up to so many steps.
func programs(most int) *rapid.Generator[*toy] {
	steps := rapid.SliceOfN(rapid.SampledFrom([]string{"save", "pay0", "pay1", "safe0", "safe1", "mark0", "mark1", "late0", "late1", "flaky1", "flaky2", "hand"}), 1, most)
	return rapid.Custom(func(t *rapid.T) *toy { return program(strings.Join(steps.Draw(t, "steps"), " ")) })
}

func parse(t testing.TB, text string) faults.Plan {
	t.Helper()
	p, err := faults.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func explore(t failer, w explorer.World, o explorer.Options) explorer.Result {
	t.Helper()
	if o.Settings.Only == nil {
		o.Settings = toySettings
	}
	r, err := explorer.Explore(context.Background(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
