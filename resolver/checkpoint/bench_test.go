package checkpoint_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

func BenchmarkOpen_There(b *testing.B) {
	path := filled(b)
	for b.Loop() {
		_ = openAt(b, path, checkpoint.Options{Clock: newClock()}).Close()
	}
}

func BenchmarkSQLite_Save(b *testing.B) {
	s := openAt(b, filepath.Join(b.TempDir(), "runs.sqlite"), checkpoint.Options{Clock: newClock()})
	defer func() { _ = s.Close() }()
	st := created(b, s, "r-1")
	l := acquired(b, s, "r-1", 1)
	for b.Loop() {
		if err := s.Save(ctx, st, l, resolver.TrailEntry{What: "step"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMemory_Snapshot(b *testing.B) {
	m := checkpoint.NewMemory(checkpoint.Options{Clock: newClock()})
	created(b, m, "r-1")
	for b.Loop() {
		m.Restore(m.Snapshot())
	}
}

// One simulated life: from an image, load, lease, eight saves with an image after each, release.
func BenchmarkMemory_Life(b *testing.B) {
	m := checkpoint.NewMemory(checkpoint.Options{Clock: newClock(), Alive: func(resolver.Holder) bool { return false }})
	created(b, m, "r-1")
	img := m.Snapshot()
	for b.Loop() {
		m.Restore(img)
		st, err := m.Load(ctx, "r-1")
		if err != nil {
			b.Fatal(err)
		}
		l, _ := m.Acquire(ctx, "r-1", holder(1), time.Minute)
		for range 8 {
			st.Step++
			if err := m.Save(ctx, st, l, resolver.TrailEntry{What: "step"}); err != nil {
				b.Fatal(err)
			}
			_ = m.Snapshot()
		}
		_ = m.Release(ctx, l)
	}
}
