package services

import (
	"bytes"
	"context"

	"github.com/paytwice/paytwice/resolver"
)

// call runs one operation on a body and returns its result.
type call func(ctx context.Context, s resolver.Services, body []byte) (any, error)

// operations are the seams' operations by their names.
var operations = map[string]call{
	"orders.get_order": on(func(ctx context.Context, s resolver.Services, q query) (any, error) {
		return s.Orders.GetOrder(ctx, q.CustomerID, q.OrderID)
	}),
	"orders.get_customer_orders": on(func(ctx context.Context, s resolver.Services, q query) (any, error) {
		return s.Orders.GetCustomerOrders(ctx, q.CustomerID)
	}),
	"payment.get_payments": on(func(ctx context.Context, s resolver.Services, q query) (any, error) {
		return s.Payment.GetPayments(ctx, q.CustomerID, q.OrderID)
	}),
	"payment.get_refunds": on(func(ctx context.Context, s resolver.Services, q query) (any, error) {
		return s.Payment.GetRefunds(ctx, q.OrderID)
	}),
	"payment.request_refund": on(func(ctx context.Context, s resolver.Services, w resolver.WriteRequest) (any, error) {
		return s.Payment.RequestRefund(ctx, w)
	}),
	"warehouse.reship_item": on(func(ctx context.Context, s resolver.Services, w resolver.WriteRequest) (any, error) {
		return s.Warehouse.ReshipItem(ctx, w)
	}),
	"warehouse.create_return_label": on(func(ctx context.Context, s resolver.Services, w resolver.WriteRequest) (any, error) {
		return s.Warehouse.CreateReturnLabel(ctx, w)
	}),
	"payment.operation":        lookup(payments, resolver.Register.Operation, operationIDOf),
	"payment.read_back":        lookup(payments, resolver.Register.ReadBack, recordIDOf),
	"payment.recent_changes":   recent(payments),
	"warehouse.operation":      lookup(warehouses, resolver.Register.Operation, operationIDOf),
	"warehouse.read_back":      lookup(warehouses, resolver.Register.ReadBack, recordIDOf),
	"warehouse.recent_changes": recent(warehouses),
	"tickets.add_note": on(func(ctx context.Context, s resolver.Services, n noteRequest) (any, error) {
		return struct{}{}, s.Tickets.AddNote(ctx, n.TicketID, n.NoteID, n.Text)
	}),
	"policy.search_policy": on(func(ctx context.Context, s resolver.Services, q query) (any, error) {
		return s.Policy.SearchPolicy(ctx, q.Query)
	}),
}

// declarations are answered without the gate: a client asks once what it may count on, and that is no
// call on a seam.
var declarations = map[string]call{
	"payment." + capabilities: on(func(_ context.Context, s resolver.Services, _ query) (any, error) {
		return s.Payment.Capabilities(), nil
	}),
	"warehouse." + capabilities: on(func(_ context.Context, s resolver.Services, _ query) (any, error) {
		return s.Warehouse.Capabilities(), nil
	}),
}

// badRequest is the error of a body that is not the operation's.
type badRequest struct{ err error }

func (b badRequest) Error() string { return "the body is not this operation's: " + b.err.Error() }

func on[B any](f func(context.Context, resolver.Services, B) (any, error)) call {
	return func(ctx context.Context, s resolver.Services, body []byte) (any, error) {
		var b B
		if err := decode(bytes.NewReader(body), &b); err != nil {
			return nil, badRequest{err}
		}
		return f(ctx, s, b)
	}
}

func payments(s resolver.Services) resolver.Register   { return s.Payment }
func warehouses(s resolver.Services) resolver.Register { return s.Warehouse }
func operationIDOf(q query) string                     { return q.OperationID }
func recordIDOf(q query) string                        { return q.RecordID }

func lookup(
	of func(resolver.Services) resolver.Register,
	ask func(resolver.Register, context.Context, string) (resolver.Change, bool, error),
	id func(query) string,
) call {
	return on(func(ctx context.Context, s resolver.Services, q query) (any, error) {
		change, found, err := ask(of(s), ctx, id(q))
		return maybe(change, found), err
	})
}

func recent(of func(resolver.Services) resolver.Register) call {
	return on(func(ctx context.Context, s resolver.Services, q query) (any, error) {
		return of(s).RecentChanges(ctx, q.OrderID)
	})
}
