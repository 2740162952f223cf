package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/resolver/strategy"
)

var (
	ctx   = context.Background()
	today = time.Date(2026, time.October, 9, 17, 0, 0, 0, time.UTC)

	feeRefund   = resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-793996", AmountCents: 995, ReasonCode: "RFD-LATE"}
	namedRefund = resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-507862", AmountCents: 119_00, ReasonCode: "RFD-DOUBLE", PaymentID: "PAY-507862-2"}
	ladderLabel = resolver.Action{Tool: resolver.CreateReturnLabel, OrderID: "LK-645334", SKU: "LADDER-3", Reason: "change_of_mind"}
	planter     = resolver.Action{Tool: resolver.ReshipItem, OrderID: "LK-640436", SKU: "PLANTER", Quantity: 1}
	planterBack = resolver.Action{Tool: resolver.CreateReturnLabel, OrderID: "LK-640436", SKU: "PLANTER", Reason: "damaged"}
)

// clock moves only when somebody waits.
type clock struct {
	now   time.Time
	waits []time.Duration
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.waits = append(c.waits, d)
	c.now = c.now.Add(d)
	return nil
}

// bench is one run with everything durable around it. The store and the services survive a crash, which
// is a call of execute that ends early.
type bench struct {
	t      *testing.T
	clock  *clock
	store  *checkpoint.Memory
	world  *services.Memory
	caller services.Caller
	script *script
	alerts []string
	x      resolver.Executor
	run    string
	dead   map[int]bool // process ids that were killed
}

// script says what goes wrong with the n-th call of a kind, and logs calls and saves in their order.
type script struct {
	writes  []provider.Trouble
	asks    []error
	reads   []error
	refunds []error
	// readBack changes what a read-back shows.
	readBack func(resolver.Change, bool) (resolver.Change, bool)
	// can changes what the services declare.
	can func(*resolver.Capabilities)
	// random gives every request and question a name of its own.
	random *randomIDs
	// before runs just before a write is sent.
	before func()

	log                        []string
	calls, asked, read, looked int
}

func newBench(t *testing.T, profile provider.Profile, ticketID string, actions ...resolver.Action) *bench {
	t.Helper()
	b := &bench{t: t, clock: &clock{now: today}, script: &script{}, dead: map[int]bool{}}
	b.store = checkpoint.NewMemory(checkpoint.Options{Clock: b.clock, Alive: func(h resolver.Holder) bool { return !b.dead[h.PID] }})
	b.world = services.NewMemory(services.Config{Data: larkfield.Dataset(), Profile: profile, Now: b.clock.Now})
	b.caller = services.Caller{TicketID: ticketID}
	b.x = resolver.Executor{Store: recorder{b.store, b.script}, Clock: b.clock, Strategy: strategy.OperationID(),
		Alert: func(_ context.Context, text string) error { b.alerts = append(b.alerts, text); return nil }}
	t.Cleanup(func() {
		if err := b.store.Check(ctx); err != nil {
			t.Errorf("full check of the store: %v", err)
		}
	})
	b.propose(ticketID, actions)
	return b
}

// propose saves a run that waits for approval, with the evidence that its orders are the customer's.
func (b *bench) propose(ticketID string, actions []resolver.Action) {
	b.t.Helper()
	task, ok := larkfield.TaskByID(ticketID)
	if !ok {
		b.t.Fatalf("no ticket %s", ticketID)
	}
	b.run = resolver.RunID(ticketID, "agent", "chat-small", 1)
	s := resolver.NewState(task.Ticket, b.run, "agent", "chat-small", 1)
	orders := b.world.Services(services.Caller{TicketID: ticketID}).Orders
	for _, a := range actions {
		o, err := orders.GetOrder(ctx, task.CustomerID, a.OrderID)
		if err != nil {
			b.t.Fatal(err)
		}
		s.Evidence = append(s.Evidence, resolver.Evidence{Tool: "get_order", Arguments: json.RawMessage(`{}`), OK: true, Result: marshal(b.t, o)})
	}
	p, err := resolver.NewProposal(ticketID, resolver.Resolve, "W2", actions, "Hello", "late")
	if err != nil {
		b.t.Fatal(err)
	}
	s.Proposal = p
	must(b.t, s.MoveTo(resolver.WaitingApproval))
	must(b.t, b.store.Create(ctx, s))
}

func (b *bench) load() *resolver.TaskState {
	b.t.Helper()
	s, err := b.store.Load(ctx, b.run)
	must(b.t, err)
	return s
}

// underLease changes the saved run as somebody who holds its lease.
func (b *bench) underLease(do func(*resolver.TaskState, resolver.Lease) error) error {
	b.t.Helper()
	lease, err := b.store.Acquire(ctx, b.run, resolver.Holder{Host: "here", PID: 7, Started: "1"}, resolver.DefaultLeaseTTL)
	must(b.t, err)
	err = do(b.load(), lease)
	must(b.t, b.store.Release(ctx, lease))
	return err
}

func (b *bench) approve() {
	b.t.Helper()
	must(b.t, b.underLease(func(s *resolver.TaskState, lease resolver.Lease) error {
		if err := resolver.Approve(s, resolver.RoleGrace, "Grace", "", b.clock.now); err != nil {
			return err
		}
		return b.store.Save(ctx, s, lease, resolver.TrailEntry{RunID: s.RunID, At: b.clock.now, Actor: "Grace", What: "approved"})
	}))
}

// executor returns the executor with the services of this caller, as a new process would build it.
func (b *bench) executor() *resolver.Executor {
	x := b.x
	x.Services = b.script.wrap(b.world.Services(b.caller))
	return &x
}

// execute is one life: a new executor, the state as it is saved.
func (b *bench) execute() error {
	b.t.Helper()
	return b.underLease(func(s *resolver.TaskState, lease resolver.Lease) error { return b.executor().Execute(ctx, s, lease) })
}

func (b *bench) changes() []resolver.Change {
	b.t.Helper()
	changes, err := b.world.Changes(ctx)
	must(b.t, err)
	return changes
}

// ends is what a test says about a run at its end.
type ends struct {
	Status     resolver.Status
	Operations []resolver.OperationStatus
	Attempts   []int
	Changes    int
}

func (b *bench) ends() ends {
	s := b.load()
	e := ends{Status: s.Status, Changes: len(b.changes())}
	for _, op := range s.Operations {
		e.Operations = append(e.Operations, op.Status)
		e.Attempts = append(e.Attempts, op.Attempts)
	}
	return e
}

func one(status resolver.Status, op resolver.OperationStatus, attempts, changes int) ends {
	return ends{status, []resolver.OperationStatus{op}, []int{attempts}, changes}
}

// trace returns the run's trace from one kind of line on, without steps.
func trace(s *resolver.TaskState, kinds ...string) []string {
	var out []string
	for _, e := range s.Events {
		for _, k := range kinds {
			if e.Kind == k {
				out = append(out, e.Kind+" "+e.Text)
			}
		}
	}
	return out
}

// recorder is a store that logs what each save says of the operations.
type recorder struct {
	*checkpoint.Memory
	*script
}

func (r recorder) Save(ctx context.Context, s *resolver.TaskState, lease resolver.Lease, trail ...resolver.TrailEntry) error {
	err := r.Memory.Save(ctx, s, lease, trail...)
	line := "save " + string(s.Status)
	for _, op := range s.Operations {
		line += fmt.Sprintf(" %s/%d", op.Status, op.Attempts)
	}
	if err != nil {
		line += " refused"
	}
	r.log = append(r.log, line)
	return err
}

func (s *script) wrap(inner resolver.Services) resolver.Services {
	inner.Payment = desk{Payment: inner.Payment, Warehouse: inner.Warehouse, s: s, register: inner.Payment}
	inner.Warehouse = desk{Payment: inner.Payment, Warehouse: inner.Warehouse, s: s, register: inner.Warehouse}
	return inner
}

type (
	payment   = resolver.Payment
	warehouse = resolver.Warehouse
)

// desk is the payment service or the warehouse, with the script's troubles.
type desk struct {
	Payment   payment
	Warehouse warehouse
	register  resolver.Register
	s         *script
}

func nth[T any](list []T, n int) (zero T) {
	if n-1 < len(list) {
		return list[n-1]
	}
	return zero
}

func (d desk) write(ctx context.Context, w resolver.WriteRequest, do func(context.Context, resolver.WriteRequest) (resolver.Change, error)) (resolver.Change, error) {
	d.s.calls++
	d.s.log = append(d.s.log, fmt.Sprintf("call %d %s", d.s.calls, w.Key))
	if d.s.before != nil {
		d.s.before()
	}
	if d.s.random != nil {
		w.Key = d.s.random.next()
	}
	return do(provider.WithKnobs(ctx, provider.Knobs{Trouble: nth(d.s.writes, d.s.calls)}), w)
}

func (d desk) Capabilities() resolver.Capabilities {
	can := d.register.Capabilities()
	if d.s.can != nil {
		d.s.can(&can)
	}
	return can
}

func (d desk) Operation(ctx context.Context, id string) (resolver.Change, bool, error) {
	d.s.asked++
	d.s.log = append(d.s.log, "ask "+id)
	if err := nth(d.s.asks, d.s.asked); err != nil {
		return resolver.Change{}, false, err
	}
	if d.s.random != nil {
		id = d.s.random.next()
	}
	return d.register.Operation(ctx, id)
}

func (d desk) RecentChanges(ctx context.Context, orderID string) ([]resolver.Change, error) {
	d.s.asked++
	if err := nth(d.s.asks, d.s.asked); err != nil {
		return nil, err
	}
	return d.register.RecentChanges(ctx, orderID)
}

func (d desk) ReadBack(ctx context.Context, recordID string) (resolver.Change, bool, error) {
	d.s.read++
	if err := nth(d.s.reads, d.s.read); err != nil {
		return resolver.Change{}, false, err
	}
	c, found, err := d.register.ReadBack(ctx, recordID)
	if d.s.readBack != nil {
		c, found = d.s.readBack(c, found)
	}
	return c, found, err
}

func (d desk) GetPayments(ctx context.Context, customerID, orderID string) (resolver.Payments, error) {
	return d.Payment.GetPayments(ctx, customerID, orderID)
}

func (d desk) GetRefunds(ctx context.Context, orderID string) ([]resolver.Change, error) {
	d.s.looked++
	if err := nth(d.s.refunds, d.s.looked); err != nil {
		return nil, err
	}
	return d.Payment.GetRefunds(ctx, orderID)
}

func (d desk) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return d.write(ctx, w, d.Payment.RequestRefund)
}

func (d desk) ReshipItem(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return d.write(ctx, w, d.Warehouse.ReshipItem)
}

func (d desk) CreateReturnLabel(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return d.write(ctx, w, d.Warehouse.CreateReturnLabel)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func marshal(t *testing.T, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return data
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func isErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
