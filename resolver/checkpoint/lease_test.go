package checkpoint_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

func testLeaseRefused(t *testing.T, h harness) {
	created(t, h, "r-1")
	l := acquired(t, h, "r-1", 1)
	same(t, "lease", l, resolver.Lease{RunID: "r-1", Holder: holder(1), Token: 1, ExpiresAt: h.clock.Now().Add(30 * time.Second)})
	h.clock.advance(30*time.Second - 1)
	for pid := 1; pid <= 2; pid++ { // The holder itself is refused like any other.
		_, err := h.Acquire(ctx, "r-1", holder(pid), time.Second)
		var held *resolver.LeaseHeldError
		if !errors.As(err, &held) {
			t.Fatalf("process %d: got %v", pid, err)
		}
		same(t, "held", *held, resolver.LeaseHeldError{RunID: "r-1", Holder: holder(1), Until: l.ExpiresAt})
	}
	created(t, h, "r-2")
	acquired(t, h, "r-2", 1) // Another run's lease is another lease.
}

func testLeaseTakenOver(t *testing.T, h harness) {
	created(t, h, "r-1")
	acquired(t, h, "r-1", 1)
	h.living.kill(1)
	same(t, "token after a death", acquired(t, h, "r-1", 2).Token, 2)
	h.clock.advance(30 * time.Second)
	same(t, "token at the expiry", acquired(t, h, "r-1", 3).Token, 3)
}

func testLeaseTokensRise(t *testing.T, h harness) {
	created(t, h, "r-1")
	for want := int64(1); want <= 4; want++ {
		l := acquired(t, h, "r-1", 1)
		same(t, "token", l.Token, want)
		if err := h.Release(ctx, l); err != nil {
			t.Fatal(err)
		}
	}
}

func testLeaseRenew(t *testing.T, h harness) {
	created(t, h, "r-1")
	first := acquired(t, h, "r-1", 1)
	h.clock.advance(20 * time.Second)
	l, err := h.Renew(ctx, first, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "renewed", l, resolver.Lease{RunID: "r-1", Holder: holder(1), Token: 1, ExpiresAt: h.clock.Now().Add(30 * time.Second)})
	short, err := h.Renew(ctx, l, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "never shorter", short.ExpiresAt, l.ExpiresAt)
	h.clock.advance(time.Hour)
	if l, err = h.Renew(ctx, l, 30*time.Second); err != nil {
		t.Fatalf("expired, not taken: %v", err)
	}
	h.clock.advance(time.Hour)
	acquired(t, h, "r-1", 2)
	if _, err := h.Renew(ctx, l, 30*time.Second); !errors.Is(err, resolver.ErrLeaseLost) {
		t.Errorf("expired and taken: %v", err)
	}
}

func testLeaseRelease(t *testing.T, h harness) {
	created(t, h, "r-1")
	old := acquired(t, h, "r-1", 1)
	h.living.kill(1)
	l := acquired(t, h, "r-1", 2)
	if err := h.Release(ctx, old); err != nil {
		t.Errorf("a lease that is no longer ours: %v", err)
	}
	if _, err := h.Acquire(ctx, "r-1", holder(3), time.Second); err == nil {
		t.Error("a stranger's release freed the lease")
	}
	for range 2 {
		if err := h.Release(ctx, l); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Renew(ctx, l, time.Second); !errors.Is(err, resolver.ErrLeaseLost) {
		t.Errorf("renewed a lease given back: %v", err)
	}
	acquired(t, h, "r-1", 3)
}

func testLeaseBadTTL(t *testing.T, h harness) {
	created(t, h, "r-1")
	if _, err := h.Acquire(ctx, "r-1", holder(1), 0); !errors.Is(err, checkpoint.ErrBadArgument) {
		t.Errorf("acquire: %v", err)
	}
	if _, err := h.Renew(ctx, acquired(t, h, "r-1", 1), -1); !errors.Is(err, checkpoint.ErrBadArgument) {
		t.Errorf("renew: %v", err)
	}
}

// A worker stalls, its lease runs out, another finishes the run, and the first wakes up: it must be able
// to do nothing at all. Time is the bubble's.
func TestFencing_Zombie(t *testing.T) {
	for _, kind := range []string{"sqlite", "memory"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { zombie(t, kind) })
		})
	}
}

func zombie(t *testing.T, kind string) {
	opts := checkpoint.Options{Clock: wallClock{}, Alive: func(resolver.Holder) bool { return true }}
	var s checkpoint.Store = checkpoint.NewMemory(opts)
	if kind == "sqlite" {
		s = openAt(t, t.TempDir()+"/runs.sqlite", opts)
	}
	defer func() { _ = s.Close() }()
	created(t, s, "r-1")
	woken := make(chan error)
	go func() {
		l := acquired(t, s, "r-1", 1)
		mine, _ := s.Load(ctx, "r-1")
		_ = opts.Clock.Wait(ctx, time.Minute)
		mine.Step = 99
		err := s.Save(ctx, mine, l, resolver.TrailEntry{What: "by a zombie"})
		if _, renewErr := s.Renew(ctx, l, time.Hour); !errors.Is(renewErr, resolver.ErrLeaseLost) {
			t.Errorf("renew: %v", renewErr)
		}
		_ = s.Release(ctx, l)
		woken <- err
	}()
	synctest.Wait()
	_, err := s.Acquire(ctx, "r-1", holder(2), time.Hour)
	var held *resolver.LeaseHeldError
	if !errors.As(err, &held) {
		t.Fatalf("the first still has it: %v", err)
	}
	_ = opts.Clock.Wait(ctx, time.Until(held.Until))
	l, err := s.Acquire(ctx, "r-1", holder(2), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	st, _ := s.Load(ctx, "r-1")
	st.Step = 3
	if err := s.Save(ctx, st, l); err != nil {
		t.Fatal(err)
	}
	if err := <-woken; !errors.Is(err, resolver.ErrLeaseLost) || !errors.Is(err, resolver.ErrStale) {
		t.Errorf("the zombie's save: %v", err)
	}
	if err := s.Save(ctx, st, l); err != nil {
		t.Errorf("the zombie freed the lease: %v", err)
	}
	back, _ := s.Load(ctx, "r-1")
	same(t, "step", back.Step, 3)
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
}
