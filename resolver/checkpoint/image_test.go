package checkpoint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// An image is a moment: what the store does afterwards, or after going back, never shows in it.
func TestMemory_SnapshotRestore(t *testing.T) {
	h := harness{clock: newClock(), living: &living{}}
	m := checkpoint.NewMemory(h.options())
	st := created(t, m, "r-1")
	l := acquired(t, m, "r-1", 1)
	text := func(img *checkpoint.Image) string {
		var rows []string
		for _, r := range img.Rows {
			rows = append(rows, fmt.Sprint(r.RunID, r.Seq, r.Version, string(r.Text())))
		}
		data, _ := json.Marshal([]any{rows, img.Leases, img.Trail, img.Pruned})
		return string(data)
	}
	step := func(what string) {
		st.Log("note", "%s", what)
		if err := m.Save(ctx, st, l, resolver.TrailEntry{What: what}); err != nil {
			t.Fatal(err)
		}
	}
	step("one")
	first := m.Snapshot()
	firstText := text(first)
	step("two")
	second, secondText := m.Snapshot(), text(m.Snapshot())
	for range 3 {
		m.Restore(first)
		same(t, "restored", text(m.Snapshot()), firstText)
		st, _ = m.Load(ctx, "r-1")
		step("another two")
		created(t, m, "r-2")
		acquired(t, m, "r-2", 1)
		_ = m.Release(ctx, l)
		st.Status = resolver.Done
		h.clock.advance(time.Hour)
		if _, err := m.Prune(ctx, h.clock.Now()); err != nil {
			t.Fatal(err)
		}
		same(t, "first image", text(first), firstText)
		same(t, "second image", text(second), secondText)
		if err := m.Check(ctx); err != nil {
			t.Fatal(err)
		}
	}
	other := checkpoint.NewMemory(h.options())
	other.Restore(second)
	same(t, "in another store", text(other.Snapshot()), secondText)
}

func TestMemory_NotDurable(t *testing.T) {
	same(t, "memory", checkpoint.NewMemory(checkpoint.Options{Clock: newClock()}).Durable(), false)
}

func TestImage_BadRow(t *testing.T) {
	m := checkpoint.NewMemory(checkpoint.Options{Clock: newClock()})
	m.Restore(&checkpoint.Image{Rows: []*checkpoint.Row{checkpoint.NewRow("r-1", 1, 1, []byte(`{"run_id":"r-1"}`))}})
	_, err := m.Load(ctx, "r-1")
	names(t, err, resolver.ErrBadState, "memory", "r-1", "field")
	if err := m.Check(ctx); !errors.Is(err, resolver.ErrBadState) {
		t.Errorf("check: %v", err)
	}
}

// Whatever is asked of both stores, both answer alike and end alike.
func TestStores_Agree(t *testing.T) { rapid.Check(t, agreeIn(quickDir(t))) }

func FuzzStores_Agree(f *testing.F) {
	dir := quickDir(f)
	f.Fuzz(rapid.MakeFuzz(agreeIn(dir)))
}

// quickDir returns a folder in memory where the system has one: thousands of commits to a disk would be
// most of the test's time, and the property does not speak of power.
func quickDir(tb testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "checkpoint")
	if err != nil {
		return tb.TempDir()
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// agreeIn returns the property, with a new file in dir each time.
func agreeIn(dir string) func(*rapid.T) {
	n := 0
	return func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		agree(rt, path)
		_ = os.Remove(path)
	}
}

// pair is two stores that are asked the same.
type pair struct {
	rt     *rapid.T
	h      harness
	stores [2]checkpoint.Store
	leases []resolver.Lease
	states map[string]*resolver.TaskState
}

func agree(rt *rapid.T, path string) {
	p := &pair{rt: rt, h: harness{clock: newClock(), living: &living{}}, states: map[string]*resolver.TaskState{}}
	lite, err := checkpoint.Open(path, p.h.options())
	if err != nil {
		rt.Fatal(err)
	}
	defer func() { _ = lite.Close() }()
	p.stores = [2]checkpoint.Store{lite, checkpoint.NewMemory(p.h.options())}
	p.leases = []resolver.Lease{{}}
	rt.Repeat(map[string]func(*rapid.T){
		"":        p.check,
		"create":  p.create,
		"load":    p.load,
		"save":    p.save,
		"acquire": p.acquire,
		"renew":   p.renew,
		"release": p.release,
		"prune":   p.prune,
		"wait":    func(*rapid.T) { p.h.clock.advance(time.Duration(p.pick("seconds", 40)) * time.Second) },
		"kill":    func(*rapid.T) { p.h.living.kill(1 + p.pick("victim", 3)) },
		"numbers": p.numbers,
	})
	for _, s := range p.stores {
		if err := s.Check(ctx); err != nil {
			rt.Fatal(err)
		}
	}
}

func (p *pair) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(p.rt, what) }

func (p *pair) run() string {
	return resolver.RunID("T-90104", "agent", "chat-small", 1+p.pick("run", 3))
}

func (p *pair) lease() resolver.Lease { return p.leases[p.pick("lease", len(p.leases))] }

// both asks both stores and compares the kinds of their errors.
func (p *pair) both(ask func(s checkpoint.Store, i int) error) bool {
	a, b := ask(p.stores[0], 0), ask(p.stores[1], 1)
	for _, kind := range []error{resolver.ErrUnknownRun, resolver.ErrRunExists, resolver.ErrStale, resolver.ErrLeaseLost, resolver.ErrBadState, checkpoint.ErrBadArgument} {
		if errors.Is(a, kind) != errors.Is(b, kind) {
			p.rt.Fatalf("sqlite: %v, memory: %v", a, b)
		}
	}
	var heldA, heldB *resolver.LeaseHeldError
	errors.As(a, &heldA)
	errors.As(b, &heldB)
	if diff := cmp.Diff(heldA, heldB); diff != "" || (a == nil) != (b == nil) {
		p.rt.Fatalf("sqlite: %v, memory: %v\n%s", a, b, diff)
	}
	return a == nil
}

func (p *pair) equal(what string, a, b any) {
	if diff := cmp.Diff(a, b); diff != "" {
		p.rt.Fatalf("%s (-sqlite +memory):\n%s", what, diff)
	}
}

func (p *pair) create(*rapid.T) {
	st := [2]*resolver.TaskState{sample(p.run())}
	c := *st[0]
	st[1] = &c
	if p.both(func(s checkpoint.Store, i int) error { return s.Create(ctx, st[i]) }) {
		p.equal("created", st[0], st[1])
		p.states[st[0].RunID] = st[0]
	}
}

func (p *pair) load(*rapid.T) {
	id := p.run()
	var st [2]*resolver.TaskState
	ok := p.both(func(s checkpoint.Store, i int) (err error) { st[i], err = s.Load(ctx, id); return err })
	p.equal("loaded", st[0], st[1])
	if ok {
		p.states[id] = st[0]
	}
}

// save saves what was loaded some time ago, under any lease that was ever given out.
func (p *pair) save(*rapid.T) {
	base := p.states[p.run()]
	if base == nil {
		return
	}
	var st [2]*resolver.TaskState
	status := []resolver.Status{resolver.Running, resolver.Done, resolver.Stopped, "odd"}[p.pick("status", 4)]
	text := rapid.StringN(0, 5, -1).Draw(p.rt, "text")
	trail := make([]resolver.TrailEntry, p.pick("entries", 3))
	for i := range trail {
		trail[i] = resolver.TrailEntry{Actor: text, What: fmt.Sprint(i)}
	}
	l := p.lease()
	p.both(func(s checkpoint.Store, i int) error {
		c := *base
		c.Status, c.StopReason = status, text
		st[i] = &c
		return s.Save(ctx, &c, l, trail...)
	})
	p.equal("saved", st[0], st[1])
}

func (p *pair) acquire(*rapid.T) {
	id, pid, ttl := p.run(), 1+p.pick("pid", 3), time.Duration(p.pick("ttl", 30))*time.Second
	var l [2]resolver.Lease
	if p.both(func(s checkpoint.Store, i int) (err error) {
		l[i], err = s.Acquire(ctx, id, holder(pid), ttl)
		return err
	}) {
		p.leases = append(p.leases, l[0])
	}
	p.equal("acquired", l[0], l[1])
}

func (p *pair) renew(*rapid.T) {
	old, ttl := p.lease(), time.Duration(p.pick("ttl", 60))*time.Second
	var l [2]resolver.Lease
	p.both(func(s checkpoint.Store, i int) (err error) { l[i], err = s.Renew(ctx, old, ttl); return err })
	p.equal("renewed", l[0], l[1])
}

func (p *pair) release(*rapid.T) {
	l := p.lease()
	p.both(func(s checkpoint.Store, _ int) error { return s.Release(ctx, l) })
}

func (p *pair) prune(*rapid.T) {
	before := p.h.clock.Now().Add(-time.Duration(p.pick("age", 60)) * time.Second)
	var n [2]int
	p.both(func(s checkpoint.Store, i int) (err error) { n[i], err = s.Prune(ctx, before); return err })
	p.equal("pruned", n[0], n[1])
}

func (p *pair) numbers(*rapid.T) {
	var next, latest [2]string
	p.both(func(s checkpoint.Store, i int) (err error) {
		next[i], err = s.NextRunID(ctx, "T-90104", "agent", "chat-small")
		return err
	})
	p.both(func(s checkpoint.Store, i int) (err error) { latest[i], err = s.LatestRun(ctx, "T-90104"); return err })
	p.equal("numbers", append(next[:1:1], latest[0]), append(next[1:2:2], latest[1]))
}

// check compares everything that can be read, after every step.
func (p *pair) check(*rapid.T) {
	var img [2]*checkpoint.Image
	var list [2][]resolver.RunSummary
	for i, s := range p.stores {
		var err, listErr error
		img[i], err = s.Image(ctx)
		list[i], listErr = s.List(ctx)
		if err := errors.Join(err, listErr); err != nil {
			p.rt.Fatal(err)
		}
	}
	if diff := cmp.Diff(img[0], img[1], cmp.Transformer("empty", func(img checkpoint.Image) []any {
		return []any{len(img.Rows), append([]*checkpoint.Row{}, img.Rows...), append([]checkpoint.LeaseRow{}, img.Leases...), append([]resolver.TrailEntry{}, img.Trail...), append([]string{}, img.Pruned...)}
	})); diff != "" {
		p.rt.Fatalf("images (-sqlite +memory):\n%s", diff)
	}
	p.equal("lists", list[0], list[1])
}
