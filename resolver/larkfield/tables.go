package larkfield

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// LoadData reads the eight tables at the root of fsys.
//
// Errors: a missing file, a header or a value that is not as expected, an id given twice and a row whose
// order or product is in no table return an error that names the file and, where there is one, the line.
func LoadData(fsys fs.FS) (*Data, error) {
	var d Data
	for _, load := range []func() error{
		func() error { return loadTable(fsys, "customers.csv", ReadCustomers, &d.Customers) },
		func() error { return loadTable(fsys, "products.csv", ReadProducts, &d.Products) },
		func() error { return loadTable(fsys, "orders.csv", ReadOrders, &d.Orders) },
		func() error { return loadTable(fsys, "order_items.csv", ReadItems, &d.Items) },
		func() error { return loadTable(fsys, "shipments.csv", ReadShipments, &d.Shipments) },
		func() error { return loadTable(fsys, "payments.csv", ReadPayments, &d.Payments) },
		func() error { return loadTable(fsys, "seed_refunds.csv", ReadSeedRefunds, &d.Refunds) },
		func() error { return loadTable(fsys, "seed_return_labels.csv", ReadSeedLabels, &d.Labels) },
		d.check,
	} {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return &d, nil
}

func loadTable[T any](fsys fs.FS, file string, read func(string, io.Reader) ([]T, error), into *[]T) error {
	f, err := fsys.Open(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	defer f.Close()
	*into, err = read(file, f)
	return err
}

// ReadCustomers reads customers.csv. The name goes into errors; so for the other tables.
func ReadCustomers(name string, src io.Reader) ([]Customer, error) {
	return readTable(name, src, columns("customer_id,language"), func(r *row) Customer {
		return Customer{CustomerID: r.id(0), Language: r.id(1)}
	})
}

// ReadOrders reads orders.csv.
func ReadOrders(name string, src io.Reader) ([]Order, error) {
	header := columns("order_id,customer_id,status,ordered_on,shipped_on,delivered_on,shipping_fee,total,currency,note")
	return readTable(name, src, header, func(r *row) Order {
		return Order{
			OrderID: r.id(0), CustomerID: r.id(1), Status: r.id(2),
			OrderedOn: r.date(3), ShippedOn: r.optionalDate(4), DeliveredOn: r.optionalDate(5),
			ShippingFeeCents: r.cents(6), TotalCents: r.cents(7), Currency: r.id(8), Note: r.text(9),
		}
	})
}

// ReadItems reads order_items.csv.
func ReadItems(name string, src io.Reader) ([]Item, error) {
	return readTable(name, src, columns("order_id,sku,product,quantity,unit_price,box"), func(r *row) Item {
		return Item{OrderID: r.id(0), SKU: r.id(1), Product: r.text(2), Quantity: r.count(3), UnitPriceCents: r.cents(4), Box: r.count(5)}
	})
}

// ReadProducts reads products.csv.
func ReadProducts(name string, src io.Reader) ([]Product, error) {
	return readTable(name, src, columns("sku,product,unit_price,weight_kg,change_of_mind_return,stock"), func(r *row) Product {
		return Product{
			SKU: r.id(0), Product: r.text(1), UnitPriceCents: r.cents(2), WeightKg: r.text(3),
			ChangeOfMindReturn: r.flag(4), Stock: r.count(5),
		}
	})
}

// ReadShipments reads shipments.csv.
func ReadShipments(name string, src io.Reader) ([]Shipment, error) {
	header := columns("shipment_id,order_id,box,status,shipped_on,delivered_on,last_scan_on,courier_note")
	return readTable(name, src, header, func(r *row) Shipment {
		return Shipment{
			ShipmentID: r.id(0), OrderID: r.id(1), Box: r.count(2), Status: r.id(3),
			ShippedOn: r.optionalDate(4), DeliveredOn: r.optionalDate(5), LastScanOn: r.optionalDate(6), CourierNote: r.text(7),
		}
	})
}

// ReadPayments reads payments.csv.
func ReadPayments(name string, src io.Reader) ([]Payment, error) {
	return readTable(name, src, columns("payment_id,order_id,kind,amount,status,created_on"), func(r *row) Payment {
		return Payment{
			PaymentID: r.id(0), OrderID: r.id(1), Kind: r.id(2), AmountCents: r.cents(3),
			Status: r.id(4), CreatedOn: r.date(5),
		}
	})
}

// ReadSeedRefunds reads seed_refunds.csv.
func ReadSeedRefunds(name string, src io.Reader) ([]SeedRefund, error) {
	return readTable(name, src, columns("refund_id,order_id,payment_id,amount,reason_code,created_on"), func(r *row) SeedRefund {
		return SeedRefund{
			RefundID: r.id(0), OrderID: r.id(1), PaymentID: r.optionalID(2), AmountCents: r.cents(3),
			ReasonCode: r.id(4), CreatedOn: r.date(5),
		}
	})
}

// ReadSeedLabels reads seed_return_labels.csv.
func ReadSeedLabels(name string, src io.Reader) ([]SeedLabel, error) {
	return readTable(name, src, columns("label_id,order_id,sku,reason,fee,created_on"), func(r *row) SeedLabel {
		return SeedLabel{
			LabelID: r.id(0), OrderID: r.id(1), SKU: r.id(2), Reason: r.id(3), FeeCents: r.cents(4), CreatedOn: r.date(5),
		}
	})
}

func columns(header string) []string { return strings.Split(header, ",") }

// check reports an id given twice, or a row that points at nothing. Rows have lost their lines by now, so
// these errors name the file and the id.
func (d *Data) check() error {
	orders, err := ids("orders.csv", d.Orders, func(o Order) string { return o.OrderID })
	if err != nil {
		return err
	}
	products, err := ids("products.csv", d.Products, func(p Product) string { return p.SKU })
	if err != nil {
		return err
	}
	if _, err = ids("customers.csv", d.Customers, func(c Customer) string { return c.CustomerID }); err != nil {
		return err
	}
	if _, err = ids("payments.csv", d.Payments, func(p Payment) string { return p.PaymentID }); err != nil {
		return err
	}
	if _, err = ids("shipments.csv", d.Shipments, func(s Shipment) string { return s.ShipmentID }); err != nil {
		return err
	}
	for _, i := range d.Items {
		if !orders[i.OrderID] || !products[i.SKU] {
			return fmt.Errorf("order_items.csv: %s %s is of no order or no product", i.OrderID, i.SKU)
		}
	}
	for _, s := range d.Shipments {
		if !orders[s.OrderID] {
			return fmt.Errorf("shipments.csv: %s is of no order: %s", s.ShipmentID, s.OrderID)
		}
	}
	for _, p := range d.Payments {
		if !orders[p.OrderID] {
			return fmt.Errorf("payments.csv: %s is of no order: %s", p.PaymentID, p.OrderID)
		}
	}
	return nil
}

func ids[T any](file string, rows []T, id func(T) string) (map[string]bool, error) {
	seen := make(map[string]bool, len(rows))
	for _, row := range rows {
		if seen[id(row)] {
			return nil, fmt.Errorf("%s: %s stands there twice", file, id(row))
		}
		seen[id(row)] = true
	}
	return seen, nil
}
