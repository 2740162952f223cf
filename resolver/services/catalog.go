package services

import (
	"sync"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

// catalog is the data as the services look things up in it. It is built once and never changed, so
// every memory store of a process may share one.
type catalog struct {
	orders     map[string]larkfield.Order
	ofCustomer map[string][]larkfield.Order
	itemsOf    map[string][]larkfield.Item
	products   map[string]larkfield.Product
	boxesOf    map[string][]larkfield.Shipment
	paymentsOf map[string][]larkfield.Payment
	refundsOf  map[string][]larkfield.SeedRefund
	labelsOf   map[string][]larkfield.SeedLabel
}

// embedded is the catalog of the data set that comes with the program.
var embedded = sync.OnceValue(func() *catalog { return newCatalog(larkfield.Dataset()) })

func catalogOf(d *larkfield.Data) *catalog {
	if d == nil {
		return embedded()
	}
	return newCatalog(d)
}

func newCatalog(d *larkfield.Data) *catalog {
	c := &catalog{
		orders:     map[string]larkfield.Order{},
		ofCustomer: map[string][]larkfield.Order{},
		itemsOf:    map[string][]larkfield.Item{},
		products:   map[string]larkfield.Product{},
		boxesOf:    map[string][]larkfield.Shipment{},
		paymentsOf: map[string][]larkfield.Payment{},
		refundsOf:  map[string][]larkfield.SeedRefund{},
		labelsOf:   map[string][]larkfield.SeedLabel{},
	}
	for _, o := range d.Orders {
		c.orders[o.OrderID] = o
		c.ofCustomer[o.CustomerID] = append(c.ofCustomer[o.CustomerID], o)
	}
	for _, i := range d.Items {
		c.itemsOf[i.OrderID] = append(c.itemsOf[i.OrderID], i)
	}
	for _, p := range d.Products {
		c.products[p.SKU] = p
	}
	for _, s := range d.Shipments {
		c.boxesOf[s.OrderID] = append(c.boxesOf[s.OrderID], s)
	}
	for _, p := range d.Payments {
		c.paymentsOf[p.OrderID] = append(c.paymentsOf[p.OrderID], p)
	}
	for _, r := range d.Refunds {
		c.refundsOf[r.OrderID] = append(c.refundsOf[r.OrderID], r)
	}
	for _, l := range d.Labels {
		c.labelsOf[l.OrderID] = append(c.labelsOf[l.OrderID], l)
	}
	return c
}

func (c *catalog) order(orderID string) (larkfield.Order, bool, error) {
	o, found := c.orders[orderID]
	return o, found, nil
}

func (c *catalog) customerOrders(customerID string) ([]larkfield.Order, error) {
	return c.ofCustomer[customerID], nil
}

func (c *catalog) items(orderID string) ([]larkfield.Item, error) { return c.itemsOf[orderID], nil }

func (c *catalog) shipments(orderID string) ([]larkfield.Shipment, error) {
	return c.boxesOf[orderID], nil
}

func (c *catalog) seedRefunds(orderID string) ([]larkfield.SeedRefund, error) {
	return c.refundsOf[orderID], nil
}

func (c *catalog) seedLabels(orderID string) ([]larkfield.SeedLabel, error) {
	return c.labelsOf[orderID], nil
}
