package larkfield

// Data is Larkfield's practice data: what the services hold before the first change.
//
// Shape: rows in the order of their files. Units: amounts in cents, dates yyyy-mm-dd or empty.
type Data struct {
	Customers []Customer
	Orders    []Order
	Items     []Item
	Products  []Product
	Shipments []Shipment
	Payments  []Payment
	Refunds   []SeedRefund
	Labels    []SeedLabel
}

// Customer is one row of customers.csv.
type Customer struct{ CustomerID, Language string }

// Order is one row of orders.csv.
type Order struct {
	OrderID, CustomerID, Status       string
	OrderedOn, ShippedOn, DeliveredOn string
	ShippingFeeCents, TotalCents      int64
	Currency, Note                    string
}

// Item is one row of order_items.csv.
type Item struct {
	OrderID, SKU, Product string
	Quantity              int
	UnitPriceCents        int64
	Box                   int
}

// Product is one row of products.csv.
type Product struct {
	SKU, Product       string
	UnitPriceCents     int64
	WeightKg           string
	ChangeOfMindReturn bool
	Stock              int
}

// Shipment is one row of shipments.csv.
type Shipment struct {
	ShipmentID, OrderID                string
	Box                                int
	Status                             string
	ShippedOn, DeliveredOn, LastScanOn string
	CourierNote                        string
}

// Payment is one row of payments.csv.
type Payment struct {
	PaymentID, OrderID, Kind string
	AmountCents              int64
	Status, CreatedOn        string
}

// SeedRefund is a refund made before the course's day.
type SeedRefund struct {
	RefundID, OrderID, PaymentID string
	AmountCents                  int64
	ReasonCode, CreatedOn        string
}

// SeedLabel is a return label made before the course's day.
type SeedLabel struct {
	LabelID, OrderID, SKU, Reason string
	FeeCents                      int64
	CreatedOn                     string
}
