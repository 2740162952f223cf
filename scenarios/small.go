package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// Small is a small program: one life of it, and the durable texts that it and the world outside keep.
// In memory and as processes it is the same function on other texts.
type Small struct {
	// Task names it to the child; Form is what the child is told of itself.
	Task string
	Form string
	// First is the first durable state, by name.
	First map[string]string
	// Live is one life, to its own end.
	Live func(ctx context.Context, h *Hands) (history.End, error)
	// World returns the world outside, which keeps texts of its own; nil where there is none.
	World func(t Texts, now func() time.Time) Service
	// Canonical and Outcome are Durable's.
	Canonical func(texts map[string]string, now time.Time) string
	Outcome   func(texts map[string]string, now time.Time) *check.Outcome
	// Accepts is Machine's; nil where no fault but the kill means anything.
	Accepts func(site faults.Site, verb faults.Verb) bool
}

// Service is the world outside a small program.
//
// Concurrency: one call at a time, and those that a killed caller left behind.
type Service interface {
	// Call answers one call with a value that has a JSON form.
	//
	// Errors: those that seams.Answer knows; any other is the harness's own.
	Call(ctx context.Context, site faults.Site, body []byte) (any, error)
	// Happen makes a change by somebody else, by its name.
	Happen(ctx context.Context, name string) error
}

// Refuser is a Service that keeps a record of what a knob has it refuse, as of a refusal of its own.
type Refuser interface {
	Refuses(ctx context.Context, site faults.Site, body []byte) error
}

// Hands are what one life of a small program is given.
type Hands struct {
	Seat  *seams.Seat
	Clock resolver.Clock
	Texts Texts
	send  sender
}

// NewHands returns the hands of a life in memory, beside the world outside that it calls; nil if there is
// none.
func NewHands(seat *seams.Seat, clock resolver.Clock, texts Texts, world Service) *Hands {
	return &Hands{seat, clock, texts, func(ctx context.Context, site faults.Site, _ int, body []byte) ([]byte, error) {
		return answer(ctx, world, site, body)
	}}
}

// sender sends the n-th call of a site to the world outside and returns the answer's body.
type sender func(ctx context.Context, site faults.Site, n int, body []byte) ([]byte, error)

// Told is what the events of one call say beside its points.
type Told[T any] struct {
	Before func(*history.Event)
	After  func(*history.Event, T, error)
}

// Call makes one call of the world outside past its points.
func Call[T any](ctx context.Context, h *Hands, site faults.Site, in any, told Told[T]) (T, error) {
	body, err := json.Marshal(in)
	if err != nil {
		var none T
		return none, fmt.Errorf("%s: %w", site, err)
	}
	return Take(ctx, h.Seat, Step[T]{Site: site, Remote: true, Payload: string(body), Before: told.Before, After: told.After,
		Do: func(ctx context.Context, n int) (T, error) {
			var out T
			answer, err := h.send(ctx, site, n, body)
			if err == nil {
				err = json.Unmarshal(answer, &out)
			}
			return out, err
		}})
}

// Local does something of the program's own past its points.
func Local[T any](ctx context.Context, h *Hands, site faults.Site, told Told[T], do func(context.Context) (T, error)) (T, error) {
	return Take(ctx, h.Seat, Step[T]{Site: site, Before: told.Before, After: told.After,
		Do: func(ctx context.Context, _ int) (T, error) { return do(ctx) }})
}

// answer lets the world outside answer one call, unless a knob makes something else of it.
func answer(ctx context.Context, s Service, site faults.Site, body []byte) ([]byte, error) {
	switch provider.KnobsFrom(ctx).Trouble {
	case provider.UnavailableBefore:
		return nil, resolver.ErrUnavailable
	case provider.Refuse:
		if r, ok := s.(Refuser); ok {
			if err := r.Refuses(ctx, site, body); err != nil {
				return nil, err
			}
		}
		return nil, &resolver.RefusedError{Code: "refused", Message: "the service refuses"}
	}
	if s == nil {
		return nil, fmt.Errorf("%s: there is no world outside", site)
	}
	out, err := s.Call(ctx, site, body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// Simulated returns its world in memory.
func (p *Small) Simulated() *Simulated {
	return NewSimulated(func(c *Clock) Machine {
		m := &smallMachine{Small: p, clock: c, texts: &Memory{}}
		m.texts.Restore(p.First)
		if p.World != nil {
			m.service = p.World(m.texts, c.Now)
		}
		return m
	})
}

// smallMachine is a small program in memory.
type smallMachine struct {
	*Small
	clock   *Clock
	texts   *Memory
	service Service
	// latest is the state after that many changes: one state has one address.
	latest  *smallDurable
	changes int
}

func (m *smallMachine) Live(ctx context.Context, seat *seams.Seat, _ int) (history.End, error) {
	return m.Small.Live(ctx, NewHands(seat, m.clock, m.texts, m.service))
}

func (m *smallMachine) Snapshot() Durable {
	if m.latest == nil || m.changes != m.texts.changes {
		m.latest, m.changes = &smallDurable{m.Small, m.texts.Snapshot()}, m.texts.changes
	}
	return m.latest
}

func (m *smallMachine) Restore(d Durable) {
	m.latest = d.(*smallDurable)
	m.texts.Restore(m.latest.texts)
	m.changes = m.texts.changes
}

func (m *smallMachine) Deliver(ctx context.Context, site faults.Site, payload any) error {
	_, err := answer(ctx, m.service, site, []byte(payload.(string)))
	if seams.Answer(err) == history.Errored {
		return err
	}
	return nil
}

func (m *smallMachine) Happen(ctx context.Context, name string) error {
	return happens(ctx, m.service, name)
}

func happens(ctx context.Context, s Service, name string) error {
	if s == nil {
		return unknown("world event", name, nil)
	}
	return s.Happen(ctx, name)
}

func (m *smallMachine) Accepts(site faults.Site, verb faults.Verb) bool {
	return m.Small.accepts(site, verb)
}

func (p *Small) accepts(site faults.Site, verb faults.Verb) bool {
	return p.Accepts != nil && p.Accepts(site, verb)
}

// smallDurable is what survives a life of a small program.
type smallDurable struct {
	program *Small
	texts   map[string]string
}

func (d *smallDurable) Canonical(now time.Time) string { return d.program.Canonical(d.texts, now) }

func (d *smallDurable) Outcome(now time.Time) *check.Outcome {
	return d.program.Outcome(d.texts, now)
}

// TextsOf returns the durable texts in a state of a small program, nil for another state. They must not
// be changed.
func TextsOf(s explorer.State) map[string]string {
	var d Durable
	switch s := s.(type) {
	case *simState:
		d = s.durable
	case *killState:
		d = s.durable
	}
	if small, ok := d.(*smallDurable); ok {
		return small.texts
	}
	return nil
}
