package services

import (
	"context"

	"github.com/paytwice/paytwice/resolver"
)

// remote is one seam of a client.
type remote struct {
	client *Client
	seam   string
}

type remotePayment struct{ remote }

type remoteWarehouse struct{ remote }

// ask sends one call and returns its result.
func ask[R any](ctx context.Context, r remote, operation string, in any) (R, error) {
	var out R
	if err := r.client.call(ctx, r.seam, operation, in, &out); err != nil {
		var none R // nothing of an answer that could be read only in part
		return none, err
	}
	return out, nil
}

// Capabilities implements [resolver.Register]. It asks once. While nobody answers the zero value says
// that nothing can be counted on, and the next call asks again.
func (r remote) Capabilities() resolver.Capabilities {
	r.client.mu.Lock()
	defer r.client.mu.Unlock()
	if c, known := r.client.declared[r.seam]; known {
		return c
	}
	c, err := ask[resolver.Capabilities](context.Background(), r, capabilities, query{})
	if err != nil {
		return resolver.Capabilities{}
	}
	r.client.declared[r.seam] = c
	return c
}

// Operation implements [resolver.Register].
func (r remote) Operation(ctx context.Context, operationID string) (resolver.Change, bool, error) {
	return r.one(ctx, "operation", query{OperationID: operationID})
}

// ReadBack implements [resolver.Register].
func (r remote) ReadBack(ctx context.Context, recordID string) (resolver.Change, bool, error) {
	return r.one(ctx, "read_back", query{RecordID: recordID})
}

func (r remote) one(ctx context.Context, operation string, q query) (resolver.Change, bool, error) {
	m, err := ask[maybeChange](ctx, r, operation, q)
	if err != nil || !m.Found || m.Change == nil {
		return resolver.Change{}, false, err
	}
	return *m.Change, true, nil
}

// RecentChanges implements [resolver.Register].
func (r remote) RecentChanges(ctx context.Context, orderID string) ([]resolver.Change, error) {
	return ask[[]resolver.Change](ctx, r, "recent_changes", query{OrderID: orderID})
}

// GetOrder implements [resolver.Orders].
func (r remote) GetOrder(ctx context.Context, customerID, orderID string) (resolver.Order, error) {
	return ask[resolver.Order](ctx, r, "get_order", query{CustomerID: customerID, OrderID: orderID})
}

// GetCustomerOrders implements [resolver.Orders].
func (r remote) GetCustomerOrders(ctx context.Context, customerID string) ([]resolver.Order, error) {
	return ask[[]resolver.Order](ctx, r, "get_customer_orders", query{CustomerID: customerID})
}

// GetPayments implements [resolver.Payment].
func (r remotePayment) GetPayments(ctx context.Context, customerID, orderID string) (resolver.Payments, error) {
	return ask[resolver.Payments](ctx, r.remote, "get_payments", query{CustomerID: customerID, OrderID: orderID})
}

// GetRefunds implements [resolver.Payment].
func (r remotePayment) GetRefunds(ctx context.Context, orderID string) ([]resolver.Change, error) {
	return ask[[]resolver.Change](ctx, r.remote, "get_refunds", query{OrderID: orderID})
}

// RequestRefund implements [resolver.Payment].
func (r remotePayment) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return ask[resolver.Change](ctx, r.remote, "request_refund", w)
}

// ReshipItem implements [resolver.Warehouse].
func (r remoteWarehouse) ReshipItem(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return ask[resolver.Change](ctx, r.remote, "reship_item", w)
}

// CreateReturnLabel implements [resolver.Warehouse].
func (r remoteWarehouse) CreateReturnLabel(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return ask[resolver.Change](ctx, r.remote, "create_return_label", w)
}

// AddNote implements [resolver.Tickets].
func (r remote) AddNote(ctx context.Context, ticketID, noteID, text string) error {
	_, err := ask[struct{}](ctx, r, "add_note", noteRequest{TicketID: ticketID, NoteID: noteID, Text: text})
	return err
}

// SearchPolicy implements [resolver.Policy].
func (r remote) SearchPolicy(ctx context.Context, text string) ([]resolver.Passage, error) {
	return ask[[]resolver.Passage](ctx, r, "search_policy", query{Query: text})
}
