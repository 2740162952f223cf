package course

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

// table is one table of the course: its CSV file, and where the practice database has it.
type table struct {
	file string
	// name is the table in the database; columns are those of the file, each with the names that the
	// database may have for it, the course's own first.
	name    string
	columns []column
	check   func(name string, src io.Reader) error
}

// column is a column of a file. As a name of the database one that ends in _cents holds whole cents.
type column struct {
	name string
	in   []string
}

func columnsOf(names ...string) []column {
	columns := make([]column, len(names))
	for i, n := range names {
		columns[i] = column{name: n, in: []string{n, n + "_cents"}}
	}
	return columns
}

// also adds another name by which the database may have a column.
func also(columns []column, name, other string) []column {
	for i := range columns {
		if columns[i].name == name {
			columns[i].in = append(columns[i].in, other)
		}
	}
	return columns
}

func checkWith[T any](read func(string, io.Reader) ([]T, error)) func(string, io.Reader) error {
	return func(name string, src io.Reader) error {
		_, err := read(name, src)
		return err
	}
}

var tables = []table{
	{file: "customers.csv", name: "customers", columns: columnsOf("customer_id", "language"), check: checkWith(larkfield.ReadCustomers)},
	{file: "products.csv", name: "products",
		columns: also(columnsOf("sku", "product", "unit_price", "weight_kg", "change_of_mind_return", "stock"), "product", "name"),
		check:   checkWith(larkfield.ReadProducts)},
	{file: "orders.csv", name: "orders",
		columns: columnsOf("order_id", "customer_id", "status", "ordered_on", "shipped_on", "delivered_on", "shipping_fee", "total", "currency", "note"),
		check:   checkWith(larkfield.ReadOrders)},
	{file: "order_items.csv", name: "order_items",
		columns: columnsOf("order_id", "sku", "product", "quantity", "unit_price", "box"), check: checkWith(larkfield.ReadItems)},
	{file: "shipments.csv", name: "shipments",
		columns: columnsOf("shipment_id", "order_id", "box", "status", "shipped_on", "delivered_on", "last_scan_on", "courier_note"),
		check:   checkWith(larkfield.ReadShipments)},
	{file: "payments.csv", name: "payments",
		columns: columnsOf("payment_id", "order_id", "kind", "amount", "status", "created_on"), check: checkWith(larkfield.ReadPayments)},
	{file: "seed_refunds.csv", name: "refunds",
		columns: also(columnsOf("refund_id", "order_id", "payment_id", "amount", "reason_code", "created_on"), "created_on", "created_at"),
		check:   checkWith(larkfield.ReadSeedRefunds)},
	{file: "seed_return_labels.csv", name: "return_labels",
		columns: also(columnsOf("label_id", "order_id", "sku", "reason", "fee", "created_on"), "created_on", "created_at"),
		check:   checkWith(larkfield.ReadSeedLabels)},
}

// databaseFile is the course's practice database.
const databaseFile = "larkfield.sqlite"

// readTables takes each table from its CSV file, or from the practice database where there is no file.
func (r *reader) readTables(ctx context.Context) error {
	db, err := openDatabase(ctx, r.data(databaseFile))
	if err != nil {
		return err
	}
	defer db.close()
	for _, t := range tables {
		path := r.data(t.file)
		content, err := r.file(path)
		if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) {
			if db == nil {
				return fmt.Errorf("%s is missing, and there is no %s that could hold the table", path, r.data(databaseFile))
			}
			path = fmt.Sprintf("%s, table %s", db.path, t.name)
			content, err = db.read(ctx, t)
		}
		if err != nil {
			return err
		}
		if err := t.check(path, bytes.NewReader(content)); err != nil {
			return err
		}
		if err := r.archive.add(t.file, content); err != nil {
			return err
		}
	}
	return nil
}
