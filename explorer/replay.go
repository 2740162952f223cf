package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Replayed is one plan, run and judged.
type Replayed struct {
	History history.History
	// End is the state in which the program came to rest.
	End State
	// Outcome is what the world has on record there.
	Outcome *check.Outcome
}

// Replay runs one plan from the start, then undisturbed lives until the program ends, and judges it.
//
// Errors: *UnreachedError when a planned event did not strike; *StuckError; *GoneError; *PanicError;
// ErrNotDeterministic with Options.Once unset; whatever a World returns. A program that does not end within
// Options.MaxLives further lives is no error but a never-ends violation.
func Replay(ctx context.Context, w World, plan faults.Plan, o Options) (Replayed, error) {
	o = o.withDefaults()
	g := newGuard(o.Timeout)
	stopped := func() bool { return ctx.Err() != nil }
	r, gone, err := watched(g, stopped, func() (Replayed, error) { return replay(ctx, w, plan, o, g) })
	if gone && err == nil {
		err = ctx.Err()
	}
	return r, ofPlan(err, plan)
}

func replay(ctx context.Context, w World, plan faults.Plan, o Options, g guard) (Replayed, error) {
	state, err := w.Start(ctx)
	if err != nil {
		return Replayed{}, err
	}
	r := Replayed{History: history.History{Schema: history.Schema, Plan: plan.String(), Lives: []history.Life{}, Ledger: []history.Effect{}, Violations: []string{}}}
	monitors := check.NewSet(o.Settings)
	ended, restarts, endless := false, 0, ""
	for n := 0; n < len(plan) || !ended; n++ {
		if ended {
			return r, leftOver(plan, n)
		}
		if n >= len(plan) && restarts >= o.MaxLives {
			break
		}
		inc, err := g.runChecked(ctx, w, state, firstLives(plan, n), plan.Life(n), o.Once)
		if err != nil {
			return r, fmt.Errorf("life %d: %w", n+1, err)
		}
		r.History.Lives = append(r.History.Lives, inc.Life)
		if len(inc.Unreached) > 0 {
			return r, &UnreachedError{Plan: plan, Event: inc.Unreached[0], Life: n + 1, Passed: pointsOf(inc.Points)}
		}
		monitors.See(inc.Life.Events)
		state = inc.Next
		endless = inc.Endless
		ended = inc.Life.Ended == history.Done || inc.Life.Ended == history.Person || endless != ""
		// Counted as the search counts: since the last fault.
		if restarts++; inc.Life.Ended == history.Killed || len(plan.Life(n)) > 0 {
			restarts = 0
		}
	}
	if !ended {
		endless = fmt.Sprintf("started again %d times, and no end", o.MaxLives)
	}
	return r, r.judge(ctx, w, state, monitors, endless)
}

func pointsOf(passages []Passage) []faults.Point {
	var out []faults.Point
	for _, p := range passages {
		out = append(out, p.Point)
	}
	return out
}

// firstLives returns the first n lives of a plan, which go on undisturbed past its end.
func firstLives(plan faults.Plan, n int) faults.Plan {
	out := make(faults.Plan, n)
	copy(out, plan)
	return out
}

// leftOver returns the error of a plan that has more lives than the program had: the first event that could not
// strike, if one was to.
func leftOver(plan faults.Plan, lives int) error {
	for n, life := range plan[lives:] {
		if len(life) > 0 {
			return &UnreachedError{Plan: plan, Event: life[0], Life: lives + n + 1, Lives: lives}
		}
	}
	return &UnreachedError{Plan: plan, Event: faults.Event{Verb: faults.Run}, Life: lives + 1, Lives: lives}
}

func (r *Replayed) judge(ctx context.Context, w World, end State, monitors check.Set, endless string) error {
	outcome, err := w.Outcome(ctx, end)
	if err != nil {
		return err
	}
	r.End, r.Outcome = end, outcome
	broken := monitors.Judge(outcome)
	if endless != "" {
		broken = check.InOrder(append(broken, check.NeverEnds(endless)))
	}
	if outcome.Ledger != nil {
		r.History.Ledger = outcome.Ledger
	}
	r.History.Broken = broken
	r.History.Tell()
	r.History.Verdict = history.Pass
	for _, v := range broken {
		r.History.Verdict = history.Violated
		if n := len(r.History.Violations); n == 0 || r.History.Violations[n-1] != v.Invariant {
			r.History.Violations = append(r.History.Violations, v.Invariant)
		}
	}
	return nil
}

// runChecked lives an incarnation, twice unless once is set, and compares.
func (g guard) runChecked(ctx context.Context, w World, from State, before faults.Plan, life faults.Life, once bool) (Incarnation, error) {
	first, err := g.run(ctx, w, from, before, life)
	if err != nil || once {
		return first, err
	}
	second, err := g.run(ctx, w, from, before, life)
	if err != nil {
		return first, err
	}
	if difference := differ(first, second); difference != "" {
		return first, fmt.Errorf("%w: %s", ErrNotDeterministic, difference)
	}
	return first, nil
}

// differ returns the first difference between two lives, empty if there is none.
func differ(a, b Incarnation) string {
	for i := range max(len(a.Life.Events), len(b.Life.Events)) {
		if i >= len(a.Life.Events) || i >= len(b.Life.Events) {
			return fmt.Sprintf("one run has %d events, the other %d", len(a.Life.Events), len(b.Life.Events))
		}
		if !sameEvent(&a.Life.Events[i], &b.Life.Events[i]) {
			one, _ := json.Marshal(a.Life.Events[i])
			two, _ := json.Marshal(b.Life.Events[i])
			return fmt.Sprintf("event %d is %s in one run and %s in the other", i+1, one, two)
		}
	}
	if a.Life.Ended != b.Life.Ended {
		return fmt.Sprintf("one run ended %s, the other %s", a.Life.Ended, b.Life.Ended)
	}
	if a.Next.Key() != b.Next.Key() {
		return "the states after the two runs differ"
	}
	return ""
}

// sameEvent compares two events by what they say; the cheap fields first, the rest only where present.
func sameEvent(a, b *history.Event) bool {
	if a.N != b.N || a.Process != b.Process || a.Seam != b.Seam || a.Operation != b.Operation || a.Position != b.Position || a.Call != b.Call ||
		a.Answer != b.Answer || a.Injected != b.Injected || a.RecordID != b.RecordID || a.What != b.What || !a.At.Equal(b.At) {
		return false
	}
	if plain(a) && plain(b) {
		return true
	}
	one, errA := json.Marshal(a)
	two, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(one, two)
}

func plain(e *history.Event) bool {
	return e.Request == nil && e.Saved == nil && e.Loaded == nil && e.Decision == nil
}
