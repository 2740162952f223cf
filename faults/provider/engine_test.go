package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults/provider"
)

func TestDo_NamesRequestsWithoutAKey(t *testing.T) {
	b := newBench(provider.Larkfield())
	var names []string
	for _, key := range []string{"", "k", "", ""} {
		names = append(names, b.do(provider.Request[string]{Key: key, Tool: "pay", Payload: "10.00"}).Operation)
	}
	if diff := cmp.Diff([]string{"request-1", "k", "request-2", "request-3"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestDo_CountsWhatArrives(t *testing.T) {
	b := newBench(provider.ReplayAll())
	for _, trouble := range append(provider.Troubles(), provider.NoTrouble) {
		b.send("10.00", trouble)
	}
	b.send("99.00", provider.NoTrouble)
	want := []provider.Receipt[string]{
		{Operation: "k", Tool: "pay", Payload: "10.00", Count: len(provider.Troubles()) + 1},
		{Operation: "k", Tool: "pay", Payload: "99.00", Count: 1},
	}
	if diff := cmp.Diff(want, b.state.Received); diff != "" {
		t.Error(diff)
	}
}

func TestDo_LedgerLine(t *testing.T) {
	b := newBench(provider.NoKey())
	b.do(provider.Request[string]{Key: "k", Caller: "T-1", Tool: "pay", Payload: "10.00",
		Knobs: provider.Knobs{Trouble: provider.FailLater, FailAfter: time.Minute, Lag: time.Second}})
	want := []provider.Effect[string]{{
		Seq: 1, At: b.now, Operation: "k", Key: "k", Caller: "T-1", Tool: "pay", Record: "R1", Payload: "10.00",
		Lag: time.Second, ReversedAt: b.now.Add(time.Minute),
	}}
	if diff := cmp.Diff(want, b.state.Ledger); diff != "" {
		t.Error(diff)
	}
	for age, stands := range map[time.Duration]bool{0: true, time.Minute - 1: true, time.Minute: false} {
		if got := b.state.Ledger[0].Stands(b.now.Add(age)); got != stands {
			t.Errorf("after %s: stands %v", age, got)
		}
	}
}

func TestFind_LagsByProfileChangeAndLookup(t *testing.T) {
	for _, c := range []struct {
		profile        provider.Profile
		onWrite, onAsk time.Duration
		visibleAt      time.Duration
	}{
		{provider.ReplayAll(), 0, 0, 0},
		{provider.ReplayAll(), 0, 5 * time.Second, 5 * time.Second},
		{provider.ReplayAll(), 3 * time.Second, 5 * time.Second, 8 * time.Second},
		{provider.NoKey(), 3 * time.Second, time.Second, 9 * time.Second},
	} {
		b := newBench(c.profile)
		b.do(provider.Request[string]{Key: "k", Tool: "pay", Payload: "10.00", Knobs: provider.Knobs{Lag: c.onWrite}})
		made := b.now
		for _, late := range []time.Duration{-1, 0} {
			b.now = made.Add(c.visibleAt + late)
			_, found, err := b.engine.Find(&b.state, "k", provider.Knobs{Lag: c.onAsk})
			if want := late == 0; err != nil || found != want && b.now.After(made) {
				t.Errorf("%s %s+%s: found %v at %s, %v", c.profile.Name, c.onWrite, c.onAsk, found, b.now.Sub(made), err)
			}
		}
	}
}

func TestFind_ShowsNothingThatWasTakenBack(t *testing.T) {
	b := newBench(provider.ReplayAll())
	b.send("10.00", provider.FailLater)
	if _, found, err := b.engine.Find(&b.state, "k", provider.Knobs{}); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestBegin_AnswersWhatNeedsNoWork(t *testing.T) {
	b := newBench(provider.ReplayAll())
	b.send("10.00", provider.NoTrouble)
	claim, answer, err := b.engine.Begin(&b.state, provider.Request[string]{Key: "k", Tool: "pay", Payload: "10.00"})
	if claim != nil || err != nil || !answer.Repeated {
		t.Errorf("claim %v, answer %+v, %v", claim, answer, err)
	}
}

func TestBegin_FreesTheKeyWhenTheRequestFails(t *testing.T) {
	b := newBench(provider.SuccessOnly())
	claim, _, _ := b.engine.Begin(&b.state, provider.Request[string]{Key: "k", Tool: "pay", Payload: "10.00"})
	b.no = true
	if _, err := b.engine.Finish(&b.state, claim, b.apply); err != nil {
		t.Fatal(err)
	}
	if len(b.state.Keys) != 0 {
		t.Errorf("the key is still held: %+v", b.state.Keys)
	}
}

// What is carried on is the same request: it gives its key no new life.
func TestDo_ContinuedRequestKeepsItsAge(t *testing.T) {
	b := newBench(provider.Resume())
	b.send("10.00", provider.FailLater)
	b.now = b.now.Add(29 * 24 * time.Hour)
	if a := b.send("10.00", provider.NoTrouble); a.Repeated || a.Record != "R2" {
		t.Fatalf("not carried on: %+v", a)
	}
	b.now = b.now.Add(24 * time.Hour)
	if a := b.send("10.00", provider.NoTrouble); a.Repeated {
		t.Errorf("the key is remembered after 30 days: %+v", a)
	}
}

func TestCancel_LeavesSnapshotsAlone(t *testing.T) {
	b := newBench(provider.CancelByKey())
	b.send("10.00", provider.NoTrouble)
	snapshot := b.state
	if n, err := b.engine.Cancel(&b.state, "k"); n != 1 || err != nil {
		t.Fatalf("cancelled %d, %v", n, err)
	}
	if !snapshot.Ledger[0].Stands(b.now) || b.state.Ledger[0].Stands(b.now) {
		t.Errorf("snapshot %+v, state %+v", snapshot.Ledger, b.state.Ledger)
	}
}

func TestDo_ErrorsOfTheHarness(t *testing.T) {
	for name, c := range map[string]struct {
		profile provider.Profile
		knobs   provider.Knobs
		want    error
	}{
		"a trouble that doesn't exist": {provider.ReplayAll(), provider.Knobs{Trouble: "earthquake"}, provider.ErrTrouble},
		"an unsafe 503 of larkfield":   {provider.Larkfield(), provider.Knobs{Trouble: provider.UnavailableAfter}, provider.ErrSafeUnavailable},
	} {
		b := newBench(c.profile)
		_, err := b.engine.Do(&b.state, provider.Request[string]{Key: "k", Knobs: c.knobs}, b.apply)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := newBench(provider.ReplayAll())
	broken := errors.New("disk full")
	_, err := b.engine.Do(&b.state, provider.Request[string]{Key: "k"}, func(provider.Effect[string]) (string, error) { return "", broken })
	if !errors.Is(err, broken) || len(b.state.Ledger) != 0 {
		t.Errorf("%v, ledger %v", err, b.state.Ledger)
	}
}

func TestKnobs_TravelWithAContext(t *testing.T) {
	k := provider.Knobs{Trouble: provider.LoseAfter, Lag: time.Second}
	if got := provider.KnobsFrom(provider.WithKnobs(context.Background(), k)); got != k {
		t.Errorf("%+v", got)
	}
	if got := provider.KnobsFrom(context.Background()); got != (provider.Knobs{}) {
		t.Errorf("%+v", got)
	}
}

// checkState draws a story of requests and asserts what holds for every profile: a copy is a snapshot,
// the ledger only grows, its numbers have no gap, and the state survives JSON.
func checkState(t *rapid.T) {
	p := rapid.SampledFrom(provider.Profiles()).Draw(t, "profile")
	troubles := []provider.Trouble{provider.NoTrouble, provider.LoseBefore, provider.LoseAfter, provider.ErrorBefore, provider.ErrorAfter, provider.Refuse, provider.FailLater}
	b := newBench(p)
	for range rapid.IntRange(1, 12).Draw(t, "requests") {
		before, _ := json.Marshal(b.state)
		snapshot := b.state
		b.now = b.now.Add(time.Duration(rapid.IntRange(0, 48).Draw(t, "hours")) * time.Hour)
		b.do(provider.Request[string]{
			Key: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key"), Tool: "pay",
			Payload: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "payload"),
			Knobs:   provider.Knobs{Trouble: rapid.SampledFrom(troubles).Draw(t, "trouble")},
		})
		if after, _ := json.Marshal(snapshot); string(after) != string(before) {
			t.Fatalf("a snapshot changed:\n%s\n%s", before, after)
		}
		if len(b.state.Ledger) < len(snapshot.Ledger) || !cmp.Equal(b.state.Ledger[:len(snapshot.Ledger)], snapshot.Ledger, cmpopts.EquateEmpty()) {
			t.Fatalf("the ledger was rewritten")
		}
	}
	for i, e := range b.state.Ledger {
		if e.Seq != i+1 {
			t.Fatalf("line %d has number %d", i+1, e.Seq)
		}
	}
	text, _ := json.Marshal(b.state)
	var back provider.State[string]
	if err := json.Unmarshal(text, &back); err != nil || !cmp.Equal(back, b.state, cmpopts.EquateEmpty()) {
		t.Fatalf("%v\n%s", err, cmp.Diff(b.state, back))
	}
}

func TestState_Property(t *testing.T) { rapid.Check(t, checkState) }
