package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// The contract of resolver.Store and checkpoint.Store, one function a promise. Both stores keep all.
var conformance = map[string]func(t *testing.T, h harness){
	"create_load":        testCreateLoad,
	"create_twice":       testCreateTwice,
	"unknown_run":        testUnknownRun,
	"loads_are_copies":   testLoadsAreCopies,
	"save":               testSave,
	"save_stale":         testSaveStale,
	"save_without_lease": testSaveWithoutLease,
	"save_expired":       testSaveExpired,
	"save_unreadable":    testSaveUnreadable,
	"list":               testList,
	"trail":              testTrail,
	"trail_other_run":    testTrailOtherRun,
	"lease_refused":      testLeaseRefused,
	"lease_taken_over":   testLeaseTakenOver,
	"lease_tokens_rise":  testLeaseTokensRise,
	"lease_renew":        testLeaseRenew,
	"lease_release":      testLeaseRelease,
	"lease_bad_ttl":      testLeaseBadTTL,
	"prune":              testPrune,
	"numbers":            testNumbers,
	"latest":             testLatest,
	"cancelled":          testCancelled,
}

func TestConformance(t *testing.T) {
	for kind := range kinds {
		for name, test := range conformance {
			t.Run(kind+"/"+name, func(t *testing.T) { test(t, newHarness(t, kind)) })
		}
	}
}

var ctx = context.Background()

func testCreateLoad(t *testing.T, h harness) {
	st := created(t, h, "r-1")
	same(t, "version", st.Version, 1)
	same(t, "updated at", st.UpdatedAt, h.clock.Now())
	back, err := h.Load(ctx, "r-1")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "loaded", back, st)
}

func testCreateTwice(t *testing.T, h harness) {
	created(t, h, "r-1")
	again := sample("r-1")
	again.Step = 9
	if err := h.Create(ctx, again); !errors.Is(err, resolver.ErrRunExists) {
		t.Errorf("got %v", err)
	}
	same(t, "version", again.Version, 0)
	back, _ := h.Load(ctx, "r-1")
	same(t, "step", back.Step, 2)
	if err := h.Create(ctx, sample("")); !errors.Is(err, checkpoint.ErrBadArgument) {
		t.Errorf("no id: got %v", err)
	}
}

func testUnknownRun(t *testing.T, h harness) {
	_, err := h.Load(ctx, "r-1")
	if !errors.Is(err, resolver.ErrUnknownRun) || !strings.Contains(err.Error(), "r-1") {
		t.Errorf("load: %v", err)
	}
	if _, err := h.Acquire(ctx, "r-1", holder(1), time.Second); !errors.Is(err, resolver.ErrUnknownRun) {
		t.Errorf("acquire: %v", err)
	}
	if err := h.Save(ctx, sample("r-1"), resolver.Lease{RunID: "r-1", Token: 1}); !errors.Is(err, resolver.ErrUnknownRun) {
		t.Errorf("save: %v", err)
	}
	if _, err := h.Renew(ctx, resolver.Lease{RunID: "r-1", Token: 1}, time.Second); !errors.Is(err, resolver.ErrLeaseLost) {
		t.Errorf("renew: %v", err)
	}
	if err := h.Release(ctx, resolver.Lease{RunID: "r-1", Token: 1}); err != nil {
		t.Errorf("release: %v", err)
	}
}

func testLoadsAreCopies(t *testing.T, h harness) {
	st := created(t, h, "r-1")
	st.Plan[0] = "changed"
	a, _ := h.Load(ctx, "r-1")
	a.Messages[0].Content, a.Evidence[0].Result[0] = "changed", 'x'
	*a.Operations[0].FirstCallAt = time.Time{}
	b, err := h.Load(ctx, "r-1")
	if err != nil {
		t.Fatal(err)
	}
	want := sample("r-1")
	want.Version, want.UpdatedAt = 1, h.clock.Now()
	same(t, "loaded", b, want)
}

func testSave(t *testing.T, h harness) {
	st := created(t, h, "r-1")
	l := acquired(t, h, "r-1", 1)
	for i := range 3 {
		h.clock.advance(time.Minute) // The lease runs out; nobody takes it.
		st.Step = 10 + i
		if err := h.Save(ctx, st, l); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "version", st.Version, 4)
	back, _ := h.Load(ctx, "r-1")
	same(t, "loaded", back, st)
	same(t, "updated at", back.UpdatedAt, h.clock.Now())
}

func testSaveStale(t *testing.T, h harness) {
	st := created(t, h, "r-1")
	l := acquired(t, h, "r-1", 1)
	old, _ := h.Load(ctx, "r-1")
	if err := h.Save(ctx, st, l); err != nil {
		t.Fatal(err)
	}
	h.clock.advance(time.Second)
	before := old.UpdatedAt
	err := h.Save(ctx, old, l, resolver.TrailEntry{What: "not to be seen"})
	if !errors.Is(err, resolver.ErrStale) || errors.Is(err, resolver.ErrLeaseLost) {
		t.Errorf("got %v", err)
	}
	same(t, "version", old.Version, 1)
	same(t, "updated at", old.UpdatedAt, before)
	if trail, _ := h.Trail(ctx, ""); len(trail) != 0 {
		t.Errorf("trail: %v", trail)
	}
}

func testSaveWithoutLease(t *testing.T, h harness) {
	st := created(t, h, "r-1")
	created(t, h, "r-2")
	other := acquired(t, h, "r-2", 1)
	for name, l := range map[string]resolver.Lease{
		"none": {}, "never given": {RunID: "r-1", Token: 1}, "another run's": other,
	} {
		if err := h.Save(ctx, st, l); !errors.Is(err, resolver.ErrLeaseLost) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	l := acquired(t, h, "r-1", 1)
	if err := h.Release(ctx, l); err != nil {
		t.Fatal(err)
	}
	if err := h.Save(ctx, st, l); !errors.Is(err, resolver.ErrLeaseLost) {
		t.Errorf("given back: got %v", err)
	}
	same(t, "version", st.Version, 1)
}

func testSaveExpired(t *testing.T, h harness) {
	st := created(t, h, "r-1")
	mine := acquired(t, h, "r-1", 1)
	h.clock.advance(time.Minute)
	if err := h.Save(ctx, st, mine); err != nil {
		t.Fatalf("expired, not taken: %v", err)
	}
	acquired(t, h, "r-1", 2)
	if err := h.Save(ctx, st, mine); !errors.Is(err, resolver.ErrLeaseLost) || errors.Is(err, resolver.ErrStale) {
		t.Errorf("expired and taken: %v", err)
	}
}

func testSaveUnreadable(t *testing.T, h harness) {
	st := created(t, h, "r-1")
	l := acquired(t, h, "r-1", 1)
	st.Messages = nil
	err := h.Save(ctx, st, l)
	if !errors.Is(err, resolver.ErrBadState) || !strings.Contains(err.Error(), "messages") {
		t.Errorf("got %v", err)
	}
	if back, err := h.Load(ctx, "r-1"); err != nil || back.Version != 1 {
		t.Errorf("loaded %v, %v", back, err)
	}
}

func testList(t *testing.T, h harness) {
	if list, err := h.List(ctx); err != nil || len(list) != 0 || list == nil {
		t.Errorf("empty store: %v, %v", list, err)
	}
	var want []resolver.RunSummary
	for _, id := range []string{"b", "a", "c"} {
		st := created(t, h, id)
		want = append(want, resolver.RunSummary{RunID: id, TicketID: "T-90104", Variant: "agent", Model: "chat-small", Status: resolver.Running,
			UpdatedAt: st.UpdatedAt, ModelCalls: 2, InputTokens: 30, OutputTokens: 4})
		h.clock.advance(time.Second)
	}
	a, _ := h.Load(ctx, "a")
	if err := h.Save(ctx, a, acquired(t, h, "a", 1)); err != nil {
		t.Fatal(err)
	}
	want[1].UpdatedAt = a.UpdatedAt
	got, err := h.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "list", got, want)
	_, offset := got[0].UpdatedAt.Zone()
	same(t, "offset", offset, -5*3600)
}

func testTrail(t *testing.T, h harness) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, id := range []string{"a", "b"} {
		st := created(t, h, id)
		l := acquired(t, h, id, 1)
		for i := range 2 {
			err := h.Save(ctx, st, l, resolver.TrailEntry{At: at, Actor: "ana", What: fmt.Sprint("approved ", i)},
				resolver.TrailEntry{Seq: 99, Chain: "x", What: "called \xff", OperationID: "op"})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := h.Trail(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "entries", len(all), 8)
	same(t, "given time", all[0].At, at)
	same(t, "own time", all[1].At, h.clock.Now())
	same(t, "text", all[1].What, "called \uFFFD")
	if err := checkpoint.VerifyTrail(all); err != nil {
		t.Error(err)
	}
	if err := h.TrailWhole(ctx); err != nil {
		t.Error(err)
	}
	b, _ := h.Trail(ctx, "b")
	same(t, "of b", b, all[4:])
	all[0].What = "changed"
	if again, _ := h.Trail(ctx, "a"); again[0].What != "approved 0" {
		t.Error("the trail is shared with its readers")
	}
}

func testTrailOtherRun(t *testing.T, h harness) {
	st := created(t, h, "a")
	l := acquired(t, h, "a", 1)
	if err := h.Save(ctx, st, l, resolver.TrailEntry{RunID: "b"}); !errors.Is(err, checkpoint.ErrBadArgument) {
		t.Errorf("got %v", err)
	}
	same(t, "version", st.Version, 1)
	if back, _ := h.Load(ctx, "a"); back.Version != 1 {
		t.Error("saved all the same")
	}
}

func testPrune(t *testing.T, h harness) {
	statuses := map[string]resolver.Status{
		"done": resolver.Done, "person": resolver.HandedToPerson, "stopped": resolver.Stopped, "held": resolver.Done,
		"running": resolver.Running, "waiting": resolver.WaitingApproval, "executing": resolver.Executing,
	}
	save := func(id string) {
		st := created(t, h, id)
		l := acquired(t, h, id, 1)
		st.Status = statuses[id]
		if err := h.Save(ctx, st, l, resolver.TrailEntry{Actor: "ana", What: "ended"}); err != nil {
			t.Fatal(err)
		}
		if id != "held" {
			_ = h.Release(ctx, l)
		}
	}
	for id := range statuses {
		save(id)
	}
	cutoff := h.clock.Now()
	if n, err := h.Prune(ctx, cutoff); n != 0 || err != nil {
		t.Errorf("nothing is older: %d, %v", n, err)
	}
	h.clock.advance(time.Nanosecond)
	statuses["young"] = resolver.Done
	save("young")
	if n, err := h.Prune(ctx, h.clock.Now()); n != 3 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
	for id := range statuses {
		_, err := h.Load(ctx, id)
		gone := id == "done" || id == "person" || id == "stopped"
		if gone != errors.Is(err, resolver.ErrUnknownRun) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if trail, _ := h.Trail(ctx, ""); len(trail) != len(statuses) {
		t.Errorf("%d entries are left of the trail", len(trail))
	}
	if err := h.Create(ctx, sample("done")); !errors.Is(err, resolver.ErrRunExists) {
		t.Errorf("the id of a pruned run was used again: %v", err)
	}
	h.clock.advance(time.Hour)
	if n, err := h.Prune(ctx, h.clock.Now()); n != 2 || err != nil {
		t.Errorf("later, pruned %d, %v", n, err)
	}
}

func testNumbers(t *testing.T, h harness) {
	next := func(want string) {
		t.Helper()
		id, err := h.NextRunID(ctx, "T-90104", "agent", "chat-small")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "next", id, want)
	}
	next("T-90104-agent-chat-small-1")
	for _, id := range []string{"T-90104-agent-chat-small-1", "T-90104-agent-chat-small-9", "T-90104-agent-chat-small-x", "T-90104-agent-chat-small-077",
		"T-90104-agent-chat-strong-50", "T-90104-agent_structured-chat-small-60", "t-90104-agent-chat-small-70", "r-1"} {
		created(t, h, id)
	}
	next("T-90104-agent-chat-small-10")
	st := created(t, h, "T-90104-agent-chat-small-10")
	l := acquired(t, h, st.RunID, 1)
	st.Status = resolver.Done
	if err := h.Save(ctx, st, l); err != nil {
		t.Fatal(err)
	}
	_ = h.Release(ctx, l)
	h.clock.advance(time.Second)
	if n, err := h.Prune(ctx, h.clock.Now()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	next("T-90104-agent-chat-small-11")
}

func testLatest(t *testing.T, h harness) {
	if _, err := h.LatestRun(ctx, "T-90104"); !errors.Is(err, resolver.ErrUnknownRun) {
		t.Errorf("none: %v", err)
	}
	a := created(t, h, "b")
	created(t, h, "a")
	h.clock.advance(time.Second)
	if err := h.Save(ctx, a, acquired(t, h, "b", 1)); err != nil {
		t.Fatal(err)
	}
	id, err := h.LatestRun(ctx, "T-90104")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "latest", id, "a")
}

func testCancelled(t *testing.T, h harness) {
	st := created(t, h, "a")
	l := acquired(t, h, "a", 1)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := h.Save(gone, st, l); !errors.Is(err, context.Canceled) {
		t.Errorf("save: %v", err)
	}
	if _, err := h.Load(gone, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("load: %v", err)
	}
	if err := h.Save(ctx, st, l); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
