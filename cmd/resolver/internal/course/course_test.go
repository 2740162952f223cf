package course_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/paytwice/paytwice/cmd/resolver/internal/course"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
)

// copyOf writes a course folder with the embedded data and recordings.
func copyOf(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "data"), larkfield.Embedded()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(folder, "data", "recordings"), filepath.Join(folder, "recordings")); err != nil {
		t.Fatal(err)
	}
	return folder
}

func read(t *testing.T, folder string) *course.Import {
	t.Helper()
	i, err := course.Read(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func refused(t *testing.T, folder, want string) {
	t.Helper()
	_, err := course.Read(t.Context(), folder)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

func TestRead_TheEmbeddedCourse(t *testing.T) {
	i := read(t, copyOf(t))
	sameAsEmbedded(t, i.Course)
	dir := t.TempDir()
	if err := i.Keep(dir); err != nil {
		t.Fatal(err)
	}
	kept, err := course.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if kept.Imported == "" {
		t.Error("the embedded course was opened")
	}
	sameAsEmbedded(t, kept)
}

func sameAsEmbedded(t *testing.T, c *course.Course) {
	t.Helper()
	data, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(larkfield.Dataset(), data); diff != "" {
		t.Errorf("tables (-embedded +read):\n%s", diff)
	}
	tasks, err := c.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(larkfield.Tasks(), tasks); diff != "" {
		t.Errorf("tickets (-embedded +read):\n%s", diff)
	}
	passages, err := c.Policy()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(larkfield.Policy(), passages); diff != "" {
		t.Errorf("policy (-embedded +read):\n%s", diff)
	}
	calls, err := c.Recordings()
	if err != nil || calls.Len() != larkfield.Recordings().Len() {
		t.Errorf("%d recorded calls, want %d: %v", calls.Len(), larkfield.Recordings().Len(), err)
	}
}

// courseSchema is the part of the course's practice database that is read, with its column names and types.
const courseSchema = `
CREATE TABLE customers (customer_id TEXT PRIMARY KEY, language TEXT);
CREATE TABLE products (sku TEXT PRIMARY KEY, name TEXT, unit_price REAL, weight_kg REAL, change_of_mind_return INTEGER, stock INTEGER);
CREATE TABLE orders (order_id TEXT PRIMARY KEY, customer_id TEXT, status TEXT, ordered_on TEXT, shipped_on TEXT, delivered_on TEXT,
	shipping_fee REAL, total REAL, currency TEXT, note TEXT);
CREATE TABLE order_items (order_id TEXT, sku TEXT, product TEXT, quantity INTEGER, unit_price REAL, box INTEGER);
CREATE TABLE shipments (shipment_id TEXT PRIMARY KEY, order_id TEXT, box INTEGER, status TEXT, shipped_on TEXT, delivered_on TEXT,
	last_scan_on TEXT, courier_note TEXT);
CREATE TABLE payments (payment_id TEXT PRIMARY KEY, order_id TEXT, kind TEXT, amount REAL, status TEXT, created_on TEXT);
CREATE TABLE refunds (refund_id TEXT PRIMARY KEY, op_id TEXT, order_id TEXT, payment_id TEXT, amount REAL, reason_code TEXT, ticket_id TEXT, created_at TEXT);
CREATE TABLE return_labels (label_id TEXT PRIMARY KEY, op_id TEXT, order_id TEXT, sku TEXT, reason TEXT, fee REAL, ticket_id TEXT, created_at TEXT);
CREATE TABLE reshipments (reship_id TEXT PRIMARY KEY, op_id TEXT, order_id TEXT, sku TEXT, quantity INTEGER, ticket_id TEXT, created_at TEXT);
`

// courseDatabase writes the embedded data as the course's own practice database has it: amounts are
// floating numbers, absent values null.
func courseDatabase(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	do := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	dollars := func(cents int64) float64 { return float64(cents) / 100 }
	null := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	do("BEGIN;" + courseSchema)
	d := larkfield.Dataset()
	for _, c := range d.Customers {
		do(`INSERT INTO customers VALUES (?, ?)`, c.CustomerID, c.Language)
	}
	for _, p := range d.Products {
		do(`INSERT INTO products VALUES (?, ?, ?, CAST(? AS REAL), ?, ?)`, p.SKU, p.Product, dollars(p.UnitPriceCents), p.WeightKg, p.ChangeOfMindReturn, p.Stock)
	}
	for _, o := range d.Orders {
		do(`INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, o.OrderID, o.CustomerID, o.Status, o.OrderedOn, null(o.ShippedOn),
			null(o.DeliveredOn), dollars(o.ShippingFeeCents), dollars(o.TotalCents), o.Currency, null(o.Note))
	}
	for _, i := range d.Items {
		do(`INSERT INTO order_items VALUES (?, ?, ?, ?, ?, ?)`, i.OrderID, i.SKU, i.Product, i.Quantity, dollars(i.UnitPriceCents), i.Box)
	}
	for _, s := range d.Shipments {
		do(`INSERT INTO shipments VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, s.ShipmentID, s.OrderID, s.Box, s.Status, null(s.ShippedOn),
			null(s.DeliveredOn), null(s.LastScanOn), null(s.CourierNote))
	}
	for _, p := range d.Payments {
		do(`INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?)`, p.PaymentID, p.OrderID, p.Kind, dollars(p.AmountCents), p.Status, p.CreatedOn)
	}
	for _, r := range d.Refunds {
		do(`INSERT INTO refunds VALUES (?, ?, ?, ?, ?, ?, NULL, ?)`, r.RefundID, "seed-"+r.RefundID, r.OrderID, null(r.PaymentID),
			dollars(r.AmountCents), r.ReasonCode, r.CreatedOn+"T10:00:00")
	}
	for _, l := range d.Labels {
		do(`INSERT INTO return_labels VALUES (?, ?, ?, ?, ?, ?, NULL, ?)`, l.LabelID, "seed-"+l.LabelID, l.OrderID, l.SKU, l.Reason,
			dollars(l.FeeCents), l.CreatedOn+"T10:00:00")
	}
	do("COMMIT")
	return db
}

func removeTables(t *testing.T, folder string, keep ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "data", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(keep, filepath.Base(f)) {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRead_TheCoursesOwnDatabase(t *testing.T) {
	for name, keep := range map[string][]string{
		"alone":                   nil,
		"with the four CSV files": {"orders.csv", "order_items.csv", "payments.csv", "shipments.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := copyOf(t)
			courseDatabase(t, filepath.Join(folder, "data", "larkfield.sqlite"))
			removeTables(t, folder, keep...)
			got, err := read(t, folder).Data()
			if err != nil {
				t.Fatal(err)
			}
			// A weight is a text here and a floating number there: 1.0 comes back as 1.
			want := *larkfield.Dataset()
			want.Products = slices.Clone(want.Products)
			for i := range want.Products {
				want.Products[i].WeightKg = strings.TrimSuffix(want.Products[i].WeightKg, ".0")
			}
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("tables (-embedded +read):\n%s", diff)
			}
		})
	}
}

func TestRead_OurOwnPracticeDatabase(t *testing.T) {
	folder := copyOf(t)
	path := filepath.Join(folder, "data", "larkfield.sqlite")
	if err := services.Create(t.Context(), path, larkfield.Dataset()); err != nil {
		t.Fatal(err)
	}
	removeTables(t, folder, "customers.csv")
	got, err := read(t, folder).Data()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(larkfield.Dataset(), got); diff != "" {
		t.Errorf("tables (-embedded +read):\n%s", diff)
	}
}

func TestRead_ADatabaseThatIsNoUse(t *testing.T) {
	for name, c := range map[string]struct{ spoil, want string }{
		"used":        {`INSERT INTO refunds VALUES ('RF-1', '797fbb5bbb9f8a7e', 'LK-793996', NULL, 9.95, 'RFD-LATE', 'T-90104', '2026-10-09T10:00:00')`, "it holds 1 change(s) already"},
		"no table":    {`DROP TABLE products`, "there is no table products"},
		"no column":   {`ALTER TABLE products DROP COLUMN stock`, "table products: there is no column stock"},
		"no op_id":    {`ALTER TABLE reshipments DROP COLUMN op_id`, "table reshipments: there is no column op_id"},
		"bad value":   {`UPDATE products SET unit_price = 9.955 WHERE sku = 'BENCH-WD'`, "table products:"},
		"blob":        {`UPDATE products SET name = x'00ff' WHERE sku = 'BENCH-WD'`, "table products, row "},
		"stray order": {`UPDATE payments SET order_id = 'LK-000000' WHERE payment_id = 'PAY-507862-2'`, "PAY-507862-2 is of no order"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := copyOf(t)
			db := courseDatabase(t, filepath.Join(folder, "data", "larkfield.sqlite"))
			if _, err := db.ExecContext(t.Context(), c.spoil); err != nil {
				t.Fatal(err)
			}
			removeTables(t, folder)
			refused(t, folder, c.want)
		})
	}
}

func TestRead_Policy(t *testing.T) {
	folder := copyOf(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, "data", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	passages := func() []resolver.Passage {
		t.Helper()
		p, err := read(t, folder).Policy()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	write("policy.md", "# Policy\n\nToday is Friday.\n\n## When a person must\n\n- H1 Safety.\n- H2 Legal.\n\n## Never\n\nNever twice.\n")
	want := []resolver.Passage{
		{ID: "S01", Title: "When a person must", Text: "- H1 Safety.\n- H2 Legal.\n"},
		{ID: "S02", Title: "Never", Text: "Never twice.\n"},
	}
	if diff := cmp.Diff(want, passages()); diff != "" {
		t.Errorf("policy.md (-want +got):\n%s", diff)
	}
	write("policy_passages.jsonl", `{"passage_id": "P01", "title": "Returns", "section": "Window", "text": "Thirty days.\n## P02 · Not a section", "version": 3}`+"\n")
	want = []resolver.Passage{{ID: "P01", Title: "Returns: Window", Text: "Thirty days.\n## P02 · Not a section"}}
	if diff := cmp.Diff(want, passages()); diff != "" {
		t.Errorf("policy_passages.jsonl (-want +got):\n%s", diff)
	}
	write("policy.md", "## A\n\xff\n")
	refused(t, folder, "policy.md:2: the line is not UTF-8")
}

func TestRead_ACutRecording(t *testing.T) {
	folder := copyOf(t)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for i := range 2000 {
		fmt.Fprintf(w, `{"key":"%016x","meta":{"task_id":"T-1","variant":"agent","step":1,"repeat":%d},"request":{"model":"m"},"error":{"message":"x"}}`+"\n", i, i+1)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "recordings", "cut.jsonl.gz")
	if err := os.WriteFile(path, packed.Bytes()[:packed.Len()/2], 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, folder, "cut.jsonl.gz:")
	refused(t, folder, "unexpected EOF")
}

func TestKeep_AFolderThatIsNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := read(t, copyOf(t)).Keep(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want one with the folder's name", err)
	}
	if _, err := course.Open(dir); err == nil || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("error %v, want one that says what to do", err)
	}
}

func TestOpen_ThePartsAreRead(t *testing.T) {
	c, err := course.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sameAsEmbedded(t, c)
	_, found, err := c.Task("T-90104")
	if !found || err != nil {
		t.Errorf("T-90104: %v, %v", found, err)
	}
	if _, found, _ := c.Task("T-1"); found {
		t.Error("T-1 was found")
	}
	q := resolver.ModelRequest{TicketID: "T-65273", Variant: "agent", Step: 1, Repeat: 1, Body: resolver.ModelRequestBody{Model: "chat-small"}}
	if _, err := c.Model().Complete(context.Background(), q); err != nil {
		t.Error(err)
	}
}
