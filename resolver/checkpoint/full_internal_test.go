package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
)

type fixedClock struct{}

func (fixedClock) Now() time.Time                            { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }
func (fixedClock) Wait(context.Context, time.Duration) error { return nil }

// opened returns a store with one run under a lease.
func opened(t *testing.T) (*SQLite, *resolver.TaskState, resolver.Lease) {
	t.Helper()
	ctx := context.Background()
	s, err := Open(filepath.Join(t.TempDir(), "runs.sqlite"), Options{Clock: fixedClock{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Check(ctx), s.Close()); err != nil {
			t.Error(err)
		}
	})
	st := resolver.NewState(resolver.Ticket{ID: "T-1"}, "r-1", "agent", "m", 1)
	if err := s.Create(ctx, st); err != nil {
		t.Fatal(err)
	}
	l, err := s.Acquire(ctx, "r-1", resolver.Holder{Host: "h", PID: 1}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return s, st, l
}

// A disk that fills up refuses a save and keeps everything that was there.
func TestSave_DiskFull(t *testing.T) {
	ctx := context.Background()
	s, st, l := opened(t)
	var pages int
	if err := s.db.QueryRow(`PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec(fmt.Sprint(`PRAGMA max_page_count = `, pages)); err != nil {
		t.Fatal(err)
	}
	before, _ := s.Image(ctx)
	st.StopReason = strings.Repeat("x", 100_000)
	err := s.Save(ctx, st, l, resolver.TrailEntry{What: "not to be seen"})
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), s.Path()) {
		t.Fatalf("got %v", err)
	}
	big := *st
	big.RunID = "r-2"
	if err := s.Create(ctx, &big); !errors.Is(err, ErrFull) {
		t.Errorf("create: %v", err)
	}
	after, _ := s.Image(ctx)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	st.StopReason = ""
	if err := s.Save(ctx, st, l); err != nil {
		t.Errorf("a save that fits: %v", err)
	}
}
