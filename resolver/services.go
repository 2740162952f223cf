package resolver

import (
	"context"
	"time"
)

// AddNote is the tool name of a ticket note; it is no action of a proposal.
const AddNote Tool = "add_note"

// Capabilities says what a service offers to someone who must find out what happened. The executor
// reads it; it never guesses from a service's name.
//
// Units: KeyTTL and MaxDelay are durations of the executor's clock; a KeyTTL of 0 means for ever.
type Capabilities struct {
	// Keys: a repeat under the same operation id is recognised.
	Keys bool `json:"keys"`
	// KeyTTL: how long a key is remembered after its first use.
	KeyTTL time.Duration `json:"key_ttl_ns"`
	// Lookup: the service can be asked what happened, by operation id (with Keys) and by recent changes.
	Lookup bool `json:"lookup"`
	// MaxDelay: "not found" means "did not happen" only this long after the last call.
	MaxDelay time.Duration `json:"max_delay_ns"`
	// UnavailableIsSafe: a 503 says that nothing changed; elsewhere it leaves the outcome unknown.
	UnavailableIsSafe bool `json:"unavailable_is_safe"`
	// SuccessHoldsKey: only an answer that says yes keeps the key; any other, even one whose change was
	// made, frees it, so a repeat after it is a new request.
	SuccessHoldsKey bool `json:"success_holds_key,omitempty"`
}

// WriteRequest is one call that changes something. Key is the operation id, or empty where a strategy
// sends none: the service then names the request itself.
type WriteRequest struct {
	TicketID string `json:"ticket_id"`
	Key      string `json:"key,omitempty"`
	Action   Action `json:"action"`
}

// Change is one change as a service has it on record.
type Change struct {
	RecordID    string    `json:"record_id"`
	OperationID string    `json:"operation_id"`
	TicketID    string    `json:"ticket_id"`
	Action      Action    `json:"action"`
	Currency    string    `json:"currency,omitempty"`
	At          time.Time `json:"at"`
	// Repeated: this answer is an earlier request's; nothing changed this time.
	Repeated bool `json:"repeated,omitempty"`
}

// Register is the side of a service that can say what became of a write.
//
// Errors of each call: ErrTimeout, ErrUnavailable. Found false means that the service has nothing to
// show, which proves nothing before MaxDelay has passed.
type Register interface {
	Capabilities() Capabilities
	// Operation returns the change made under an operation id.
	Operation(ctx context.Context, operationID string) (change Change, found bool, err error)
	// RecentChanges returns the changes to an order, oldest first: a look-up for those without an id.
	RecentChanges(ctx context.Context, orderID string) ([]Change, error)
	// ReadBack returns one record by its own id, to compare with what was asked for.
	ReadBack(ctx context.Context, recordID string) (change Change, found bool, err error)
}

// Orders is the order service: reads only.
type Orders interface {
	// GetOrder returns an order, or a *RefusedError with code not_found. An order that is not the
	// customer's and one that does not exist get the same answer.
	GetOrder(ctx context.Context, customerID, orderID string) (Order, error)
	GetCustomerOrders(ctx context.Context, customerID string) ([]Order, error)
}

// Payment is the payment service.
type Payment interface {
	Register
	GetPayments(ctx context.Context, customerID, orderID string) (Payments, error)
	// GetRefunds returns the refunds of an order: the check just before a refund that names no payment.
	GetRefunds(ctx context.Context, orderID string) ([]Change, error)
	RequestRefund(ctx context.Context, w WriteRequest) (Change, error)
}

// Warehouse is the shipping service.
type Warehouse interface {
	Register
	ReshipItem(ctx context.Context, w WriteRequest) (Change, error)
	CreateReturnLabel(ctx context.Context, w WriteRequest) (Change, error)
}

// Tickets is the ticket service. A note is named by its caller, and the same name is written once.
type Tickets interface {
	AddNote(ctx context.Context, ticketID, noteID, text string) error
}

// Policy answers questions about the support policy.
type Policy interface {
	SearchPolicy(ctx context.Context, query string) ([]Passage, error)
}

// Services is the world outside the process.
type Services struct {
	Orders    Orders
	Payment   Payment
	Warehouse Warehouse
	Tickets   Tickets
	Policy    Policy
}

// Order is what the order service shows of an order.
//
// Units: amounts in cents; dates are yyyy-mm-dd or empty.
type Order struct {
	OrderID          string     `json:"order_id"`
	CustomerID       string     `json:"customer_id"`
	Status           string     `json:"status"`
	OrderedOn        string     `json:"ordered_on"`
	ShippedOn        string     `json:"shipped_on,omitempty"`
	DeliveredOn      string     `json:"delivered_on,omitempty"`
	ShippingFeeCents int64      `json:"shipping_fee_cents"`
	TotalCents       int64      `json:"total_cents"`
	Currency         string     `json:"currency"`
	Note             string     `json:"note,omitempty"`
	Items            []Item     `json:"items"`
	Boxes            []Shipment `json:"boxes"`
	Refunds          []Record   `json:"refunds,omitempty"`
	Labels           []Record   `json:"return_labels,omitempty"`
	Reshipments      []Record   `json:"reshipments,omitempty"`
}

// Item is one line of an order, with what the product table says of it.
type Item struct {
	SKU                string `json:"sku"`
	Product            string `json:"product"`
	Quantity           int    `json:"quantity"`
	UnitPriceCents     int64  `json:"unit_price_cents"`
	Box                int    `json:"box"`
	InStock            int    `json:"in_stock"`
	ChangeOfMindReturn bool   `json:"change_of_mind_return"`
}

// Shipment is one box of an order.
type Shipment struct {
	Box         int    `json:"box"`
	Status      string `json:"status"`
	ShippedOn   string `json:"shipped_on,omitempty"`
	DeliveredOn string `json:"delivered_on,omitempty"`
	LastScanOn  string `json:"last_scan_on,omitempty"`
	CourierNote string `json:"courier_note,omitempty"`
}

// Record is an earlier refund, label or reshipment of an order.
type Record struct {
	RecordID    string `json:"record_id"`
	SKU         string `json:"sku,omitempty"`
	Quantity    int    `json:"quantity,omitempty"`
	AmountCents int64  `json:"amount_cents,omitempty"`
	Reason      string `json:"reason"`
	PaymentID   string `json:"payment_id,omitempty"`
	On          string `json:"on"`
}

// Payments is what the payment service shows of an order.
type Payments struct {
	OrderID  string          `json:"order_id"`
	Payments []PaymentRecord `json:"payments"`
	Refunds  []Record        `json:"refunds"`
}

// PaymentRecord is one charge or authorisation.
type PaymentRecord struct {
	PaymentID   string `json:"payment_id"`
	Kind        string `json:"kind"`
	AmountCents int64  `json:"amount_cents"`
	Status      string `json:"status"`
	CreatedOn   string `json:"created_on"`
}

// Passage is one passage of the policy.
type Passage struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}
