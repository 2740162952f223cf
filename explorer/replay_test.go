package explorer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

func replay(t *testing.T, w explorer.World, plan string) (explorer.Replayed, error) {
	t.Helper()
	return explorer.Replay(context.Background(), w, parse(t, plan), explorer.Options{Settings: toySettings})
}

// One life per incarnation, in order, then undisturbed lives until the program ends.
func TestReplay(t *testing.T) {
	for _, c := range []struct {
		name, steps, plan string
		ended             string
		effects           int
		violations        []string
	}{
		{"undisturbed", "pay0", "run", "done", 1, []string{}},
		{"one kill", "pay0", "kill service.pay/after#1", "killed done", 2, []string{"double-write"}},
		{"two kills", "pay0 save", "kill service.pay/after#1; kill service.pay/after#1", "killed killed done", 3, []string{"double-write", "attempts"}},
		{"nothing in the first life", "flaky1 pay0", "run; kill service.pay/during#1", "error killed done", 2, []string{"double-write"}},
		{"a fault and a kill in one life", "pay0 save", "unavailable service.pay/during#1, kill store.save/before#1", "killed done", 2, []string{"double-write", "attempts"}},
		{"restarts after errors", "flaky2", "run", "error error done", 0, []string{}},
		{"with a person", "pay0 hand", "kill service.pay/after#1", "killed person", 2, []string{"double-write"}},
		{"lost", "mark0", "kill store.mark/after#1", "killed done", 0, []string{"lost-write"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := replay(t, program(c.steps), c.plan)
			if err != nil {
				t.Fatal(err)
			}
			var ends []string
			for _, l := range r.History.Lives {
				ends = append(ends, string(l.Ended))
			}
			same(t, "ends", strings.Join(ends, " "), c.ended)
			same(t, "effects", len(r.History.Ledger), c.effects)
			same(t, "violations", r.History.Violations, c.violations)
			same(t, "plan", r.History.Plan, c.plan)
			want := history.Pass
			if len(c.violations) > 0 {
				want = history.Violated
			}
			same(t, "verdict", r.History.Verdict, want)
			same(t, "ledger as the outcome has it", len(r.Outcome.Ledger), c.effects)
		})
	}
}

// A planned event that doesn't strike is an error that says which and where.
func TestReplay_Unreached(t *testing.T) {
	for _, c := range []struct {
		plan  string
		event string
		life  int
	}{
		{"kill service.pay/after#2", "kill service.pay/after#2", 1},
		{"kill service.pay/after#1; kill store.save/before#9", "kill store.save/before#9", 2},
		{"run; kill service.pay/after#1", "kill service.pay/after#1", 2}, // the program has ended
		{"run; run; kill service.pay/after#1", "kill service.pay/after#1", 3},
		{"run; run", "run", 2},
		{"kill service.pay/after#1; run; run; advance 1h", "advance 1h", 4},
		{"kill service.pay/after#1, kill store.save/before#1", "kill store.save/before#1", 1},
		{"refuse service.pay/during#3", "refuse service.pay/during#3", 1},
	} {
		t.Run(c.plan, func(t *testing.T) {
			_, err := replay(t, program("pay0 save"), c.plan)
			var unreached *explorer.UnreachedError
			if !errors.As(err, &unreached) {
				t.Fatalf("got %v", err)
			}
			same(t, "event, life", [2]any{unreached.Event.String(), unreached.Life}, [2]any{c.event, c.life})
			same(t, "plan", unreached.Plan.String(), c.plan)
			if c.event != "run" && !strings.Contains(err.Error(), c.event) {
				t.Errorf("the error doesn't name the event: %v", err)
			}
		})
	}
}

// A plan of more lives than there are says how many there were: nothing was to strike in the others.
func TestReplay_LivesTooMany(t *testing.T) {
	for plan, want := range map[string]string{
		"run; run; run":                       `the plan has 3 lives, and there was 1`,
		"kill service.pay/after#1; run; run":  `the plan has 3 lives, and there were 2`,
		"run; run; kill service.pay/after#1":  `"kill service.pay/after#1" did not strike in life 3: there was 1`,
		"kill service.pay/after#9; run; run":  `"kill service.pay/after#9" did not strike in life 1: the point was never reached (the life passed service.pay/after#1, and no later one)`,
		"run; advance 1h; run":                `"advance 1h" did not strike in life 2: there was 1`,
		"kill service.pay/after#1; run":       "",
		"kill service.pay/after#1":            "",
		"kill service.pay/before#1; run; run": `the plan has 3 lives, and there were 2`,
	} {
		if want == "" {
			want = "<nil>"
		}
		if _, err := replay(t, program("pay0 save"), plan); fmt.Sprint(err) != want {
			t.Errorf("%s: %v", plan, err)
		}
	}
}

// A point that is never reached is told with the one that was perhaps meant: the nearest name, and its last passage.
func TestReplay_UnreachedSuggests(t *testing.T) {
	const never = "the point was never reached"
	for plan, want := range map[string]string{
		"kill service.pay/after#2":                           never + " (the life passed service.pay/after#1, and no later one)",
		"kill store.save/before#9":                           never + " (the life passed store.save/before#2, and no later one)",
		"kill servcie.pay/after#1":                           never + " (did you mean service.pay/after#1?)",
		"kill store.saev/before#2":                           never + " (did you mean store.save/before#2?)",
		"kill store.saev/before#7":                           never + " (did you mean store.save/before#2?)",
		"kill service.pay/after#1; kill store.saev/before#1": never + " (did you mean store.save/before#1?)",
		"kill store.save/during#1":                           never + " (the life passed store.save at before, after)",
		"refuse service.pai/during#1":                        never + " (did you mean service.pay/during#1?)",
		"kill nothing.like_any_of_these_at_all/before#1":     never,
	} {
		_, err := replay(t, program("save pay0 save"), plan)
		if _, said, _ := strings.Cut(fmt.Sprint(err), ": "); said != want {
			t.Errorf("%s: %v", plan, err)
		}
	}
}

// A program that doesn't end is a violation, listed in its place, and no error.
func TestReplay_NeverEnds(t *testing.T) {
	w := program("pay0")
	w.stuck = true
	r, err := explorer.Replay(context.Background(), trailless{w}, faults.Plan{}, explorer.Options{Settings: check.Settings{Only: []string{"double-write", "never-ends", "trail"}}, MaxLives: 3})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "violations", r.History.Violations, []string{"double-write", "never-ends", "trail"})
	same(t, "lives", len(r.History.Lives), 3)
}

// Lives are counted from the last fault, as the search counts them: a kill gives a program its lives back.
func TestReplay_LivesCountFromTheLastFault(t *testing.T) {
	r, err := explorer.Replay(context.Background(), program("flaky1"), parse(t, "kill store.try/before#1"), explorer.Options{Settings: toySettings, MaxLives: 2})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "violations, lives", [2]int{len(r.History.Violations), len(r.History.Lives)}, [2]int{0, 3})
}

// trailless is a toy whose trail is broken.
type trailless struct{ *toy }

func (w trailless) Outcome(ctx context.Context, s explorer.State) (*check.Outcome, error) {
	o, err := w.toy.Outcome(ctx, s)
	o.NoTrail, o.TrailBroken = false, "entry 1"
	return o, err
}
