package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// Refund is the main scenario: a ticket from its first model call to its end, the approval given by rule.
const Refund = "refund"

// refund is the program under test of the main scenario: the resolver, unchanged, on wrapped seams.
type refund struct {
	task     larkfield.Task
	setting  Setting
	strategy resolver.Strategy
	profile  provider.Profile
	// tamper swaps a piece of the resolver for a broken one; nil leaves it as it is.
	tamper Tamper
}

// Tamper swaps a piece of the resolver before a life: it is how planted bugs are planted.
type Tamper func(*resolver.Runner)

func newRefund(s Setting) (*refund, error) {
	task, err := CheckTicket(s.Ticket)
	if err != nil {
		return nil, err
	}
	strategy, err := CheckStrategy(s.Strategy)
	if err != nil {
		return nil, err
	}
	profile, err := CheckProvider(s.Provider)
	if err != nil {
		return nil, err
	}
	return &refund{task: task, setting: s, strategy: strategy, profile: profile}, nil
}

// parts are what one incarnation is given: the world as it sees it.
type parts struct {
	store    resolver.Store
	services resolver.Services
	model    resolver.Model
	clock    resolver.Clock
	holder   resolver.Holder
}

// live is one incarnation.
func (r *refund) live(ctx context.Context, seat *seams.Seat, p parts) (history.End, error) {
	running := ""
	wrapped := seat.Services(p.services, r.task.ID)
	runner := &resolver.Runner{
		Executor: resolver.Executor{Store: seat.Store(p.store), Services: wrapped, Clock: p.clock, Strategy: r.strategy},
		Holder:   p.holder,
		Tickets:  func(string) (resolver.Ticket, error) { return r.task.Ticket, nil },
	}
	model := seat.Model(p.model, func() string { return running })
	runner.Loop = seat.Loop(&agent.Loop{Model: model, Services: wrapped}, &running)
	if r.tamper != nil {
		r.tamper(runner)
	}
	s, err := runner.Drive(ctx, r.task.Ticket, r.setting.Variant, r.setting.Model, r.setting.Repeat, resolver.ApproveByRole)
	if err != nil {
		return history.Failed, err
	}
	if s.Status == resolver.Done {
		return history.Done, nil
	}
	return history.Person, nil
}

func (r *refund) caller() services.Caller {
	c := services.Caller{TicketID: r.task.ID}
	if r.setting.TicketFaults {
		for _, f := range r.task.Faults {
			c.Faults = append(c.Faults, services.Fault{Tool: f.Tool, Mode: services.Mode(f.Mode), Times: f.Times})
		}
	}
	return c
}

func (r *refund) servicesConfig(now func() time.Time) services.Config {
	return services.Config{Data: larkfield.Dataset(), Policy: larkfield.Policy(), Profile: r.profile, Now: now}
}

// refundMachine is the refund program in memory.
type refundMachine struct {
	*refund
	clock    *Clock
	store    *checkpoint.Memory
	services *services.Memory
	caller   resolver.Services
	alive    resolver.Holder
}

func (r *refund) machine(base *services.Memory, clock *Clock) Machine {
	m := &refundMachine{refund: r, clock: clock}
	m.store = checkpoint.NewMemory(checkpoint.Options{Clock: clock, Alive: func(h resolver.Holder) bool { return h == m.alive }})
	m.services = base.Fork(r.profile, clock.Now)
	m.caller = m.services.Services(r.caller())
	return m
}

func (m *refundMachine) Live(ctx context.Context, seat *seams.Seat, incarnation int) (history.End, error) {
	m.alive = resolver.Holder{Host: "simulation", PID: incarnation, Started: fmt.Sprint(incarnation)}
	return m.live(ctx, seat, parts{m.store, m.caller, larkfield.Recordings(), m.clock, m.alive})
}

func (m *refundMachine) Snapshot() Durable {
	return &refundDurable{runs: m.store.Snapshot(), services: m.services.Snapshot(), profile: m.profile}
}

func (m *refundMachine) Restore(d Durable) {
	s := d.(*refundDurable)
	m.store.Restore(s.runs)
	m.services.Restore(s.services)
}

func (m *refundMachine) Deliver(ctx context.Context, site faults.Site, payload any) error {
	return deliver(ctx, m.caller, payload.(resolver.WriteRequest))
}

// deliver sends a write of which nobody waits for the answer: only the harness's own errors count.
func deliver(ctx context.Context, s resolver.Services, w resolver.WriteRequest) error {
	var err error
	switch w.Action.Tool {
	case resolver.RequestRefund:
		_, err = s.Payment.RequestRefund(ctx, w)
	case resolver.ReshipItem:
		_, err = s.Warehouse.ReshipItem(ctx, w)
	default:
		_, err = s.Warehouse.CreateReturnLabel(ctx, w)
	}
	if seams.Answer(err) == history.Errored {
		return err
	}
	return nil
}

func (m *refundMachine) Happen(ctx context.Context, name string) error {
	return happen(ctx, m.services.World, m.refund, name)
}

// colleague is somebody else's refund of the same thing, as a phone call might cause it.
const colleague = "colleague-refunds"

// happen makes a change by somebody else.
func happen(ctx context.Context, w *services.World, r *refund, name string) error {
	if name != colleague {
		return unknown("world event", name, []string{colleague})
	}
	for n, a := range r.task.Expected.Actions {
		if a.Tool != resolver.RequestRefund {
			continue
		}
		desk := w.Services(services.Caller{TicketID: "phone-call"})
		_, err := desk.Payment.RequestRefund(ctx, resolver.WriteRequest{TicketID: "phone-call", Key: fmt.Sprintf("manual-%d", n+1), Action: a})
		if seams.Answer(err) == history.Errored {
			return err
		}
	}
	return nil
}

// Accepts: every call of a service can be lost or unanswered; only a write can arrive late or be refused.
func (m *refundMachine) Accepts(site faults.Site, verb faults.Verb) bool {
	return acceptsRefund(site, verb)
}

func acceptsRefund(site faults.Site, verb faults.Verb) bool {
	write := site.Operation == string(resolver.RequestRefund) || site.Operation == string(resolver.ReshipItem) || site.Operation == string(resolver.CreateReturnLabel)
	switch verb {
	case faults.LoseRequest, faults.LoseResponse:
		return site.Seam != "model" && site.Seam != "checkpoint" && site.Seam != "lease" && site.Seam != "agent"
	case faults.DeliverLate, faults.Unavailable, faults.Refuse:
		return write
	case faults.Lag:
		return site.Operation == "operation" || site.Operation == "recent_changes" || site.Operation == "get_refunds"
	}
	return false
}
