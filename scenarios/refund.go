package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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
	// planted is the piece that is swapped for a broken one; the zero value leaves all as it is.
	planted Planting
	// known holds what was worked out of saved runs and trails.
	known *canonicalTexts
}

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
	return &refund{task: task, setting: s, strategy: strategy, profile: profile, known: newCanonicalTexts()}, nil
}

// parts are what one incarnation is given: the world as it sees it.
type parts struct {
	store    resolver.Store
	services resolver.Services
	model    resolver.Model
	clock    resolver.Clock
	holder   resolver.Holder
	// cancel takes back what was made under a key; nil where that can't be done.
	cancel func(ctx context.Context, key string) error
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
	if r.planted.Tamper != nil {
		r.planted.Tamper(runner, Bench{Seat: seat, Cancel: p.cancel})
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
	return services.Config{Data: r.data(), Policy: larkfield.Policy(), Profile: r.profile, Now: now}
}

// data is what the services hold at first; nil means the course's data, whose catalogue is built once.
func (r *refund) data() *larkfield.Data {
	if r.planted.Data != nil {
		return r.planted.Data(larkfield.Dataset())
	}
	return nil
}

// refundMachine is the refund program in memory.
type refundMachine struct {
	*refund
	clock    *Clock
	store    *checkpoint.Memory
	services *services.Memory
	caller   resolver.Services
	// alive are the processes that live now, one beside the other.
	alive []resolver.Holder
	// latest is the latest snapshot; where nothing changed since, it is the next one, too.
	latest *refundDurable
}

func (r *refund) machine(base *services.Memory, clock *Clock) Machine {
	m := &refundMachine{refund: r, clock: clock}
	m.store = checkpoint.NewMemory(checkpoint.Options{Clock: clock, Unencoded: true, Alive: func(h resolver.Holder) bool { return slices.Contains(m.alive, h) }})
	m.services = base.Fork(r.profile, clock.Now)
	m.caller = m.services.Services(r.caller())
	return m
}

func (m *refundMachine) Live(ctx context.Context, seat *seams.Seat, incarnation int) (history.End, error) {
	self := resolver.Holder{Host: "simulation", PID: incarnation, Started: strconv.Itoa(incarnation)}
	others := m.alive
	m.alive = append(slices.Clip(others), self)
	defer func() { m.alive = others }()
	return m.live(ctx, seat, parts{m.store, m.caller, larkfield.RecordingsOf(m.task.ID), m.clock, self, m.cancel})
}

func (m *refundMachine) cancel(ctx context.Context, key string) error {
	_, err := m.services.Cancel(ctx, key)
	return err
}

func (m *refundMachine) Snapshot() Durable {
	runs, world := m.store.Snapshot(), m.services.Snapshot()
	if m.latest == nil || m.latest.services != world || !m.latest.runs.Same(runs) {
		m.latest = &refundDurable{runs: runs, services: world, refund: m.refund}
	}
	return m.latest
}

func (m *refundMachine) Restore(d Durable) {
	s := d.(*refundDurable)
	m.store.Restore(s.runs)
	m.services.Restore(s.services)
	m.latest = s
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

// What somebody else may do to the world between two lives.
const (
	// ColleagueRefunds: somebody else refunds the same thing, as a phone call might cause it.
	ColleagueRefunds = "colleague-refunds"
	// ChangeFails: the provider takes back the latest change that it confirmed.
	ChangeFails = "change-fails"
)

// happen makes a change by somebody else.
func happen(ctx context.Context, w *services.World, r *refund, name string) error {
	switch name {
	case ColleagueRefunds:
		return colleagueRefunds(ctx, w, r)
	case ChangeFails:
		return w.FailLatest(ctx)
	}
	return unknown("world event", name, []string{ColleagueRefunds, ChangeFails})
}

func colleagueRefunds(ctx context.Context, w *services.World, r *refund) error {
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
	case faults.Pause:
		// Standing still matters where others could change what this process goes on from.
		return site.Seam == "lease" || site.Seam == "checkpoint" || write || site.Operation == "operation" || site.Operation == "get_refunds" || site.Operation == "add_note"
	}
	return false
}
