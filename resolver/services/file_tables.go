package services

import (
	"context"
	"database/sql"
	"errors"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

// fileStore keeps the tables in a file.
type fileStore struct {
	db   *sql.DB
	path string
	// failed is told of every error that the file made; nil tells nobody.
	failed func(error)
}

func (s *fileStore) view(ctx context.Context, f func(tables) error) error {
	return s.run(ctx, &sql.TxOptions{ReadOnly: true}, f)
}

func (s *fileStore) update(ctx context.Context, f func(tables) error) error {
	return s.run(ctx, nil, f)
}

func (s *fileStore) run(ctx context.Context, o *sql.TxOptions, f func(tables) error) error {
	tx, err := s.db.BeginTx(ctx, o)
	if err != nil {
		return s.named(err)
	}
	defer tx.Rollback() // after a commit this does nothing
	if err := f(&fileTables{ctx: ctx, tx: tx}); err != nil {
		return s.named(err)
	}
	return s.named(tx.Commit())
}

// named puts the file's name to the errors that the file made; a service's own answer passes as it is.
func (s *fileStore) named(err error) error {
	if err == nil || advise(err) == "" {
		return err
	}
	err = fileError(s.path, err)
	if s.failed != nil {
		s.failed(err)
	}
	return err
}

// fileTables is one transaction.
type fileTables struct {
	ctx context.Context
	tx  *sql.Tx
	// ledger is what Effects returned; a change of the ledger forgets it.
	ledger []Effect
	known  bool
}

func (t *fileTables) exec(query string, args ...any) error {
	_, err := t.tx.ExecContext(t.ctx, query, args...)
	return err
}

// one scans a single row and reports whether there was one.
func (t *fileTables) one(query string, args []any, into ...any) (bool, error) {
	err := t.tx.QueryRowContext(t.ctx, query, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// list scans all rows, each into what fields returns for a new value.
func list[T any](t *fileTables, fields func(*T) []any, query string, args ...any) ([]T, error) {
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		if err := rows.Scan(fields(&v)...); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

const orderColumns = `order_id, customer_id, status, ordered_on, shipped_on, delivered_on, shipping_fee_cents, total_cents, currency, note`

func orderFields(o *larkfield.Order) []any {
	return []any{&o.OrderID, &o.CustomerID, &o.Status, &o.OrderedOn, &o.ShippedOn, &o.DeliveredOn, &o.ShippingFeeCents, &o.TotalCents, &o.Currency, &o.Note}
}

func (t *fileTables) order(orderID string) (o larkfield.Order, found bool, err error) {
	found, err = t.one(`SELECT `+orderColumns+` FROM orders WHERE order_id = ?`, []any{orderID}, orderFields(&o)...)
	return o, found, err
}

func (t *fileTables) customerOrders(customerID string) ([]larkfield.Order, error) {
	return list(t, orderFields, `SELECT `+orderColumns+` FROM orders WHERE customer_id = ? ORDER BY rowid`, customerID)
}

func (t *fileTables) items(orderID string) ([]larkfield.Item, error) {
	return list(t, func(i *larkfield.Item) []any {
		return []any{&i.OrderID, &i.SKU, &i.Product, &i.Quantity, &i.UnitPriceCents, &i.Box}
	}, `SELECT order_id, sku, product, quantity, unit_price_cents, box FROM order_items WHERE order_id = ? ORDER BY rowid`, orderID)
}

func (t *fileTables) product(sku string) (p larkfield.Product, found bool, err error) {
	found, err = t.one(`SELECT sku, product, unit_price_cents, weight_kg, change_of_mind_return, stock FROM products WHERE sku = ?`,
		[]any{sku}, &p.SKU, &p.Product, &p.UnitPriceCents, &p.WeightKg, &p.ChangeOfMindReturn, &p.Stock)
	return p, found, err
}

func (t *fileTables) shipments(orderID string) ([]larkfield.Shipment, error) {
	return list(t, func(s *larkfield.Shipment) []any {
		return []any{&s.ShipmentID, &s.OrderID, &s.Box, &s.Status, &s.ShippedOn, &s.DeliveredOn, &s.LastScanOn, &s.CourierNote}
	}, `SELECT shipment_id, order_id, box, status, shipped_on, delivered_on, last_scan_on, courier_note FROM shipments WHERE order_id = ? ORDER BY rowid`, orderID)
}

func (t *fileTables) payments(orderID string) ([]larkfield.Payment, error) {
	return list(t, func(p *larkfield.Payment) []any {
		return []any{&p.PaymentID, &p.OrderID, &p.Kind, &p.AmountCents, &p.Status, &p.CreatedOn}
	}, `SELECT payment_id, order_id, kind, amount_cents, status, created_on FROM payments WHERE order_id = ? ORDER BY rowid`, orderID)
}

func (t *fileTables) seedRefunds(orderID string) ([]larkfield.SeedRefund, error) {
	return list(t, func(r *larkfield.SeedRefund) []any {
		return []any{&r.RefundID, &r.OrderID, &r.PaymentID, &r.AmountCents, &r.ReasonCode, &r.CreatedOn}
	}, `SELECT refund_id, order_id, payment_id, amount_cents, reason_code, substr(created_at, 1, 10) FROM refunds WHERE seq IS NULL AND order_id = ? ORDER BY rowid`, orderID)
}

func (t *fileTables) seedLabels(orderID string) ([]larkfield.SeedLabel, error) {
	return list(t, func(l *larkfield.SeedLabel) []any {
		return []any{&l.LabelID, &l.OrderID, &l.SKU, &l.Reason, &l.FeeCents, &l.CreatedOn}
	}, `SELECT label_id, order_id, sku, reason, fee_cents, substr(created_at, 1, 10) FROM return_labels WHERE seq IS NULL AND order_id = ? ORDER BY rowid`, orderID)
}

func (t *fileTables) setPaymentStatus(paymentID, status string) error {
	return t.exec(`UPDATE payments SET status = ? WHERE payment_id = ?`, status, paymentID)
}

func (t *fileTables) setStock(sku string, stock int) error {
	return t.exec(`UPDATE products SET stock = ? WHERE sku = ?`, stock, sku)
}

func (t *fileTables) addNote(n Note) error {
	return t.exec(`INSERT INTO ticket_notes (note_id, record_id, ticket_id, text) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		n.ID, n.RecordID, n.TicketID, n.Text)
}

func (t *fileTables) faultUses(run, fault string) (n int, err error) {
	_, err = t.one(`SELECT count FROM faults_used WHERE run = ? AND fault = ?`, []any{run, fault}, &n)
	return n, err
}

func (t *fileTables) useFault(run, fault string) error {
	return t.exec(`INSERT INTO faults_used VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1`, run, fault)
}
