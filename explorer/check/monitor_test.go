package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
)

// few draws from a small set with awkward members, so that stories collide and names that hold the marks
// of a joined key show.
func few(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"a", "b", `a"="b`, "a,b", "a=b;b", ""}).Draw(t, label)
}

func drawSaved(t *rapid.T) *history.Saved {
	s := &history.Saved{Run: few(t, "run"), Status: rapid.SampledFrom([]string{"running", "executing", "done", "handed_to_person"}).Draw(t, "status"),
		Step: rapid.IntRange(0, 2).Draw(t, "step"), Approval: few(t, "approval")}
	for range rapid.IntRange(0, 2).Draw(t, "operations") {
		s.Operations = append(s.Operations, history.Operation{ID: few(t, "operation"), Attempts: rapid.IntRange(0, 3).Draw(t, "attempts"),
			Status: rapid.SampledFrom([]string{"pending", "done", "failed", "unknown"}).Draw(t, "operation status")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "approved") {
		s.Approved = append(s.Approved, history.Intent{ID: few(t, "intent")})
	}
	return s
}

func drawEvent(t *rapid.T) history.Event {
	e := history.Event{Position: rapid.SampledFrom([]string{"before", "during", "after"}).Draw(t, "position")}
	if rapid.IntRange(0, 9).Draw(t, "injected") == 0 {
		e.Injected = "kill"
	}
	answers := []string{history.Applied, history.Refused, history.NoAnswer, history.Unavailable, history.UnavailableSafe, history.Found, history.NotFound, history.Errored, history.TakenBack}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		r := &history.Request{Intent: few(t, "intent"), Key: few(t, "key"), Payload: few(t, "payload")}
		if r.Write = rapid.Bool().Draw(t, "write"); r.Write {
			r.Undoes, r.Owner = rapid.SampledFrom([]string{"", "", "a"}).Draw(t, "undoes"), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "owner")
		}
		e.Request, e.Answer = r, rapid.SampledFrom(answers).Draw(t, "answer")
	case 1:
		e.Saved, e.Answer = drawSaved(t), rapid.SampledFrom([]string{history.Answered, history.Answered, history.Errored}).Draw(t, "answer")
	default:
		e.Decision = &history.Decision{Run: few(t, "run"), Step: rapid.IntRange(1, 2).Draw(t, "step")}
	}
	return e
}

func drawOutcome(t *rapid.T) *check.Outcome {
	o := &check.Outcome{Captured: map[string]int64{"": 1}}
	for range rapid.IntRange(0, 3).Draw(t, "runs") {
		o.Runs = append(o.Runs, *drawSaved(t))
	}
	for range rapid.IntRange(0, 2).Draw(t, "effects") {
		o.Ledger = append(o.Ledger, history.Effect{Intent: few(t, "intent"), AmountCents: 1, Reason: few(t, "reason")})
	}
	return o
}

func drawSettings(t *rapid.T) check.Settings {
	return check.Settings{SendsKey: rapid.Bool().Draw(t, "sends key"), Keys: rapid.Bool().Draw(t, "keys"), Lookup: rapid.Bool().Draw(t, "lookup"),
		MaxCalls: rapid.IntRange(0, 2).Draw(t, "max calls")}
}

// Two monitors with one key go on alike, whatever comes: they may be merged. The details of what broke are
// compared too, since the key holds them.
func TestMonitor_EqualKeysHaveEqualFutures(t *testing.T) {
	stories := rapid.SliceOfN(rapid.Custom(drawEvent), 0, 5)
	for _, invariant := range check.All() {
		t.Run(invariant.Name, func(t *testing.T) {
			met := map[string]int{}
			rapid.Check(t, func(t *rapid.T) {
				settings := drawSettings(t)
				one, two := invariant.New(settings), invariant.New(settings)
				see(one, stories.Draw(t, "past"))
				see(two, stories.Draw(t, "other past"))
				if one.Key() != two.Key() {
					return
				}
				met["merged"]++
				future, end := stories.Draw(t, "future"), drawOutcome(t)
				see(one, future)
				see(two, future)
				if one.Key() != two.Key() {
					t.Fatalf("the keys part: %q and %q", one.Key(), two.Key())
				}
				if diff := cmp.Diff(one.Judge(end), two.Judge(end)); diff != "" {
					t.Fatalf("one key, two judgements: %s", diff)
				}
			})
			if met["merged"] == 0 {
				t.Error("no two pasts had one key: the property says nothing")
			}
		})
	}
}

func see(m check.Monitor, events []history.Event) {
	for i := range events {
		m.See(&events[i])
	}
}

// One name that looks like two is still one: the keys tell them apart.
func TestMonitor_NamesDoNotRunTogether(t *testing.T) {
	done := func(runs ...string) check.Set {
		set := check.NewSet(check.Settings{Only: []string{"status-back"}})
		for _, r := range runs {
			set.See([]history.Event{saved(history.Saved{Run: r, Status: "done"})})
		}
		return set
	}
	if one, two := done("a=done;b"), done("a", "b"); one.Key() == two.Key() {
		t.Errorf("one run and two have the key %q", one.Key())
	}
}

// A kill means the same to every monitor, on the event at which it strikes or right after it: a search shows
// a life once, and the kill to copies.
func TestMonitor_KillAfterItsEvent(t *testing.T) {
	stories := rapid.SliceOfN(rapid.Custom(drawEvent), 1, 5)
	rapid.Check(t, func(t *rapid.T) {
		settings, story := drawSettings(t), stories.Draw(t, "story")
		on, after := check.NewSet(settings), check.NewSet(settings)
		after.See(story)
		after.See([]history.Event{{Injected: "kill"}})
		story[len(story)-1].Injected = "kill"
		on.See(story)
		if diff := cmp.Diff(on.Key(), after.Key()); diff != "" {
			t.Fatalf("on the event and after it: %s", diff)
		}
	})
}

// A set leaves out only what would change nothing: each monitor is where it would be had it been told of every event.
func TestSet_LeavesOutNothing(t *testing.T) {
	stories := rapid.SliceOfN(rapid.Custom(drawEvent), 0, 12)
	for _, invariant := range check.All() {
		t.Run(invariant.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				settings, story := drawSettings(t), stories.Draw(t, "story")
				for _, e := range story {
					if e.Request != nil && e.Request.Intent == "" {
						e.Request.Intent = "a" // the seams name the intent of every write
					}
				}
				alone := invariant.New(settings)
				see(alone, story)
				settings.Only = []string{invariant.Name}
				set := check.NewSet(settings)
				set.See(story)
				if want := alone.Key() + "\n"; set.Key() != want {
					t.Fatalf("the set says %q, the monitor told of everything %q", set.Key(), want)
				}
			})
		})
	}
}

// An operation that stands where another one stood in an earlier record, or in another run's, is news.
func TestSet_NewsOfARecord(t *testing.T) {
	record := func(run, operation string) history.Event {
		return saved(history.Saved{Run: run, Status: "executing", Operations: []history.Operation{{ID: operation, Status: history.OperationDone}}})
	}
	for name, story := range map[string][]history.Event{
		"operation": {record("a", "x"), record("a", "y")},
		"run":       {record("a", "x"), record("b", "x")},
	} {
		for _, invariant := range []string{"status-back", "lost-write"} {
			first, both := check.NewSet(check.Settings{Only: []string{invariant}}), check.NewSet(check.Settings{Only: []string{invariant}})
			first.See(story[:1])
			both.See(story)
			if known := invariant == "lost-write" && name == "run"; known != (first.Key() == both.Key()) {
				t.Errorf("another %s: %s has key %q, then %q", name, invariant, first.Key(), both.Key())
			}
		}
	}
}

// What See says it did not tell changes nothing.
func TestSet_SeeSaysWhetherItTold(t *testing.T) {
	stories := rapid.SliceOfN(rapid.Custom(drawEvent), 0, 3)
	untold := 0
	rapid.Check(t, func(t *rapid.T) {
		set := check.NewSet(drawSettings(t))
		set.See(stories.Draw(t, "past"))
		before := set.Copy().Key()
		if set.See(stories.Draw(t, "more")) {
			return
		}
		untold++
		if set.Key() != before {
			t.Fatalf("it told nobody, and the key became %q from %q", set.Key(), before)
		}
	})
	if untold == 0 {
		t.Error("every story was told: the property says nothing")
	}
}

// A copy goes its own way: neither sees what the other is told.
func TestMonitor_CopiesAreIndependent(t *testing.T) {
	stories := rapid.SliceOfN(rapid.Custom(drawEvent), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		settings := drawSettings(t)
		past, future, end := stories.Draw(t, "past"), stories.Draw(t, "future"), drawOutcome(t)
		set, fresh := check.NewSet(settings), check.NewSet(settings)
		set.See(past)
		fresh.See(past)
		before := set.Key()
		c := set.Copy()
		if c.Key() != before {
			t.Fatalf("the copy's key is %q, not %q", c.Key(), before)
		}
		c.See(future)
		if set.Key() != before {
			t.Fatal("the original saw what its copy was told")
		}
		after := c.Key()
		set.See(stories.Draw(t, "other future"))
		if c.Key() != after {
			t.Fatal("the copy saw what the original was told")
		}
		fresh.See(future)
		if diff := cmp.Diff(fresh.Judge(end), c.Judge(end)); diff != "" {
			t.Fatalf("a copy judges otherwise than one that saw everything: %s", diff)
		}
	})
}

// The counters saturate, so that states can close: a program that calls for ever has finitely many keys.
func TestMonitor_CountersSaturate(t *testing.T) {
	set := check.NewSet(keyed)
	call := []history.Event{send(a, a), answer(a, history.NoAnswer)}
	keys := map[string]bool{}
	for range 50 {
		set.See(call)
		keys[set.Key()] = true
	}
	if len(keys) > 5 {
		t.Errorf("%d keys after 50 calls", len(keys))
	}
}
