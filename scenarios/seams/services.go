package seams

import (
	"context"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
)

// Services returns services whose every call passes its points.
func (s *Seat) Services(inner resolver.Services, ticketID string) resolver.Services {
	return resolver.Services{
		Orders:    orders{s, inner.Orders},
		Payment:   payment{register{s, inner.Payment, "payment", ticketID}, inner.Payment},
		Warehouse: warehouse{register{s, inner.Warehouse, "warehouse", ticketID}, inner.Warehouse},
		Tickets:   tickets{s, inner.Tickets},
		Policy:    policy{s, inner.Policy},
	}
}

func site(seam, operation string) faults.Site { return faults.Site{Seam: seam, Operation: operation} }

// read is a call that changes nothing.
func read[T any](ctx context.Context, s *Seat, seam, operation string, do func(context.Context) (T, error)) (T, error) {
	return through(ctx, s, call[T]{site: site(seam, operation), remote: true, do: do})
}

type orders struct {
	s     *Seat
	inner resolver.Orders
}

func (o orders) GetOrder(ctx context.Context, customerID, orderID string) (resolver.Order, error) {
	return read(ctx, o.s, "orders", "get_order", func(ctx context.Context) (resolver.Order, error) {
		return o.inner.GetOrder(ctx, customerID, orderID)
	})
}

func (o orders) GetCustomerOrders(ctx context.Context, customerID string) ([]resolver.Order, error) {
	return read(ctx, o.s, "orders", "get_customer_orders", func(ctx context.Context) ([]resolver.Order, error) {
		return o.inner.GetCustomerOrders(ctx, customerID)
	})
}

// register is the part that payment and warehouse share.
type register struct {
	s        *Seat
	inner    resolver.Register
	seam     string
	ticketID string
}

func (r register) Capabilities() resolver.Capabilities { return r.inner.Capabilities() }

// looked is a change and whether it was found.
type looked struct {
	change resolver.Change
	found  bool
}

func (r register) Operation(ctx context.Context, operationID string) (resolver.Change, bool, error) {
	got, err := through(ctx, r.s, call[looked]{site: site(r.seam, "operation"), remote: true,
		before: func(e *history.Event) { e.Request = &history.Request{Ask: true, Intent: operationID, Key: operationID} },
		do: func(ctx context.Context) (looked, error) {
			change, found, err := r.inner.Operation(ctx, operationID)
			return looked{change, found}, err
		},
		after: r.settled,
	})
	return got.change, got.found, err
}

// settled says what a look-up found. "Not found" on a service that lags settles nothing by itself; the
// judge hears of it as an answer that says so.
func (r register) settled(e *history.Event, got looked, err error) {
	switch {
	case err != nil:
	case got.found:
		e.Answer, e.RecordID = history.Found, got.change.RecordID
		e.Request.Intent = Intent(got.change.TicketID, got.change.Action).ID
	default:
		e.Answer = history.NotFound
	}
}

func (r register) RecentChanges(ctx context.Context, orderID string) ([]resolver.Change, error) {
	return through(ctx, r.s, call[[]resolver.Change]{site: site(r.seam, "recent_changes"), remote: true,
		before: func(e *history.Event) { e.Request = &history.Request{Ask: true, What: orderID} },
		do:     func(ctx context.Context) ([]resolver.Change, error) { return r.inner.RecentChanges(ctx, orderID) },
	})
}

func (r register) ReadBack(ctx context.Context, recordID string) (resolver.Change, bool, error) {
	got, err := through(ctx, r.s, call[looked]{site: site(r.seam, "read_back"), remote: true,
		do: func(ctx context.Context) (looked, error) {
			change, found, err := r.inner.ReadBack(ctx, recordID)
			return looked{change, found}, err
		},
		after: func(e *history.Event, got looked, err error) { e.RecordID = recordID },
	})
	return got.change, got.found, err
}

// write is a call that changes something.
func (r register) write(ctx context.Context, w resolver.WriteRequest, do func(context.Context, resolver.WriteRequest) (resolver.Change, error)) (resolver.Change, error) {
	intent := Intent(w.TicketID, w.Action)
	request := &history.Request{Write: true, Intent: intent.ID, Key: w.Key, What: intent.Payload, Payload: w.TicketID + " " + intent.Payload}
	return through(ctx, r.s, call[resolver.Change]{site: site(r.seam, string(w.Action.Tool)), remote: true, payload: w,
		before: func(e *history.Event) { e.Request = request },
		do:     func(ctx context.Context) (resolver.Change, error) { return do(ctx, w) },
		after: func(e *history.Event, c resolver.Change, err error) {
			if err == nil {
				e.Answer, e.RecordID, e.Repeated = history.Applied, c.RecordID, c.Repeated
			}
			if e.Answer == history.Unavailable && r.inner.Capabilities().UnavailableIsSafe {
				e.Answer = history.UnavailableSafe
			}
		},
	})
}

// Undo is a write that takes back an effect: Undoes is the intent it was made for, Owner the intent whose
// effect the program may take back, empty if none.
type Undo struct{ Undoes, Owner, Key string }

// Cancel passes the points of a call that takes back what was made under a key.
func (s *Seat) Cancel(ctx context.Context, u Undo, do func(context.Context) error) error {
	_, err := through(ctx, s, call[struct{}]{site: site("payment", "cancel"), remote: true,
		before: func(e *history.Event) {
			e.Request = &history.Request{Write: true, Key: u.Key, What: "cancel " + u.Key, Undoes: u.Undoes, Owner: u.Owner}
		},
		do: func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) }})
	return err
}

type payment struct {
	register
	inner resolver.Payment
}

func (p payment) GetPayments(ctx context.Context, customerID, orderID string) (resolver.Payments, error) {
	return read(ctx, p.s, "payment", "get_payments", func(ctx context.Context) (resolver.Payments, error) {
		return p.inner.GetPayments(ctx, customerID, orderID)
	})
}

func (p payment) GetRefunds(ctx context.Context, orderID string) ([]resolver.Change, error) {
	return read(ctx, p.s, "payment", "get_refunds", func(ctx context.Context) ([]resolver.Change, error) {
		return p.inner.GetRefunds(ctx, orderID)
	})
}

func (p payment) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return p.write(ctx, w, p.inner.RequestRefund)
}

type warehouse struct {
	register
	inner resolver.Warehouse
}

func (h warehouse) ReshipItem(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return h.write(ctx, w, h.inner.ReshipItem)
}

func (h warehouse) CreateReturnLabel(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return h.write(ctx, w, h.inner.CreateReturnLabel)
}

type tickets struct {
	s     *Seat
	inner resolver.Tickets
}

func (t tickets) AddNote(ctx context.Context, ticketID, noteID, text string) error {
	_, err := through(ctx, t.s, call[struct{}]{site: site("tickets", "add_note"), remote: true,
		do: func(ctx context.Context) (struct{}, error) {
			return struct{}{}, t.inner.AddNote(ctx, ticketID, noteID, text)
		}})
	return err
}

type policy struct {
	s     *Seat
	inner resolver.Policy
}

func (p policy) SearchPolicy(ctx context.Context, query string) ([]resolver.Passage, error) {
	return read(ctx, p.s, "policy", "search_policy", func(ctx context.Context) ([]resolver.Passage, error) {
		return p.inner.SearchPolicy(ctx, query)
	})
}
