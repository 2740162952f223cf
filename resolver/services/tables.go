package services

import (
	"context"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// store runs functions over the tables, each in one transaction: what an update did is kept when it
// returns nil, and none of it otherwise.
type store interface {
	view(ctx context.Context, f func(tables) error) error
	update(ctx context.Context, f func(tables) error) error
}

// tables is what the rules see of a store inside a transaction. Slices are in the order of the data's
// files and must not be changed.
//
// Errors: found false for an unknown id; an error means that the store could not be read or written.
type tables interface {
	provider.Register[resolver.Action]

	order(orderID string) (o larkfield.Order, found bool, err error)
	customerOrders(customerID string) ([]larkfield.Order, error)
	items(orderID string) ([]larkfield.Item, error)
	// product has the stock as reshipments left it.
	product(sku string) (p larkfield.Product, found bool, err error)
	shipments(orderID string) ([]larkfield.Shipment, error)
	// payments have the status as refunds left it.
	payments(orderID string) ([]larkfield.Payment, error)
	seedRefunds(orderID string) ([]larkfield.SeedRefund, error)
	seedLabels(orderID string) ([]larkfield.SeedLabel, error)

	setPaymentStatus(paymentID, status string) error
	setStock(sku string, stock int) error
	// addNote writes a note unless there is one of that name.
	addNote(Note) error

	// faultUses counts how often a fault has struck a run.
	faultUses(run, fault string) (int, error)
	// useFault counts one more.
	useFault(run, fault string) error
}

// Note is one ticket note. ID is the name its writer gave it; RecordID is made of it.
type Note struct {
	RecordID string `json:"record_id"`
	TicketID string `json:"ticket_id"`
	ID       string `json:"note_id"`
	Text     string `json:"text"`
}

// FaultUse counts how often a practice fault has struck one run.
type FaultUse struct {
	Run   string `json:"run"`
	Fault string `json:"fault"`
	Count int    `json:"count"`
}
