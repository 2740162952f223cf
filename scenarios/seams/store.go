package seams

import (
	"context"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
)

// Store returns a store whose every call passes its points. It is local: a save is done or not, so there
// is nothing during it that is not before or after.
func (s *Seat) Store(inner resolver.Store) resolver.Store { return store{s, inner, &teller{}} }

type store struct {
	s     *Seat
	inner resolver.Store
	told  *teller
}

func local[T any](ctx context.Context, s *Seat, seam, operation string, fill func(*history.Event), do func(context.Context) (T, error)) (T, error) {
	return through(ctx, s, call[T]{site: site(seam, operation), before: fill, do: do})
}

func (t store) Create(ctx context.Context, st *resolver.TaskState) error {
	saved := t.told.saved(st)
	_, err := local(ctx, t.s, "checkpoint", "create", func(e *history.Event) { e.Saved = saved },
		func(ctx context.Context) (struct{}, error) { return struct{}{}, t.inner.Create(ctx, st) })
	return err
}

func (t store) Load(ctx context.Context, runID string) (*resolver.TaskState, error) {
	return through(ctx, t.s, call[*resolver.TaskState]{site: site("checkpoint", "load"),
		do: func(ctx context.Context) (*resolver.TaskState, error) { return t.inner.Load(ctx, runID) },
		after: func(e *history.Event, st *resolver.TaskState, err error) {
			if err == nil {
				e.Loaded = t.told.saved(st)
			}
		}})
}

func (t store) Save(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail ...resolver.TrailEntry) error {
	saved := t.told.saved(st)
	_, err := local(ctx, t.s, "checkpoint", "save", func(e *history.Event) { e.Saved = saved },
		func(ctx context.Context) (struct{}, error) { return struct{}{}, t.inner.Save(ctx, st, lease, trail...) })
	return err
}

func (t store) List(ctx context.Context) ([]resolver.RunSummary, error) {
	return local(ctx, t.s, "checkpoint", "list", nil, t.inner.List)
}

func (t store) Trail(ctx context.Context, runID string) ([]resolver.TrailEntry, error) {
	return local(ctx, t.s, "checkpoint", "trail", nil, func(ctx context.Context) ([]resolver.TrailEntry, error) {
		return t.inner.Trail(ctx, runID)
	})
}

func (t store) Acquire(ctx context.Context, runID string, holder resolver.Holder, ttl time.Duration) (resolver.Lease, error) {
	return local(ctx, t.s, "lease", "acquire", nil, func(ctx context.Context) (resolver.Lease, error) {
		return t.inner.Acquire(ctx, runID, holder, ttl)
	})
}

func (t store) Renew(ctx context.Context, lease resolver.Lease, ttl time.Duration) (resolver.Lease, error) {
	return local(ctx, t.s, "lease", "renew", nil, func(ctx context.Context) (resolver.Lease, error) {
		return t.inner.Renew(ctx, lease, ttl)
	})
}

func (t store) Release(ctx context.Context, lease resolver.Lease) error {
	_, err := local(ctx, t.s, "lease", "release", nil, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, t.inner.Release(ctx, lease)
	})
	return err
}
