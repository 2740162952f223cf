package seams

import (
	"context"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
)

// Model returns a model whose every call passes its points.
func (s *Seat) Model(inner resolver.Model, runID func() string) resolver.Model {
	return model{s, inner, runID}
}

type model struct {
	s     *Seat
	inner resolver.Model
	runID func() string
}

func (m model) Complete(ctx context.Context, r resolver.ModelRequest) (resolver.ModelResponse, error) {
	decision := &history.Decision{Run: m.runID(), Repeat: r.Repeat, Step: r.Step}
	return through(ctx, m.s, call[resolver.ModelResponse]{site: site("model", "complete"), remote: true,
		before: func(e *history.Event) { e.Decision = decision },
		do:     func(ctx context.Context) (resolver.ModelResponse, error) { return m.inner.Complete(ctx, r) }})
}

// Loop returns a loop whose every step, its save included, passes the points of agent.step: after means
// that the step is saved. It remembers which run is under way, for the model's events.
func (s *Seat) Loop(inner resolver.Loop, running *string) resolver.Loop {
	return loop{s, inner, running}
}

type loop struct {
	s       *Seat
	inner   resolver.Loop
	running *string
}

func (l loop) Run(ctx context.Context, t resolver.Ticket, st *resolver.TaskState, onStep func(context.Context, *resolver.TaskState) error) error {
	*l.running = st.RunID
	return l.inner.Run(ctx, t, st, func(ctx context.Context, st *resolver.TaskState) error {
		_, err := local(ctx, l.s, "agent", "step", nil, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, onStep(ctx, st)
		})
		return err
	})
}
