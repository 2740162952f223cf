package services

// schema is the file's tables. The first ten are the course's; the rows of refunds, return_labels and
// reshipments that have a seq are the ledger, those without are the data's own and carry an operation
// id that begins with seed-. Amounts are integer cents, times RFC 3339 in UTC, durations nanoseconds.
const schema = `
CREATE TABLE orders (
  order_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, status TEXT NOT NULL, ordered_on TEXT NOT NULL,
  shipped_on TEXT NOT NULL, delivered_on TEXT NOT NULL, shipping_fee_cents INTEGER NOT NULL,
  total_cents INTEGER NOT NULL, currency TEXT NOT NULL, note TEXT NOT NULL);
CREATE INDEX orders_of_customer ON orders (customer_id);
CREATE TABLE order_items (
  order_id TEXT NOT NULL, sku TEXT NOT NULL, product TEXT NOT NULL, quantity INTEGER NOT NULL,
  unit_price_cents INTEGER NOT NULL, box INTEGER NOT NULL);
CREATE INDEX items_of_order ON order_items (order_id);
CREATE TABLE products (
  sku TEXT PRIMARY KEY, product TEXT NOT NULL, unit_price_cents INTEGER NOT NULL, weight_kg TEXT NOT NULL,
  change_of_mind_return INTEGER NOT NULL, stock INTEGER NOT NULL);
CREATE TABLE shipments (
  shipment_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, box INTEGER NOT NULL, status TEXT NOT NULL,
  shipped_on TEXT NOT NULL, delivered_on TEXT NOT NULL, last_scan_on TEXT NOT NULL, courier_note TEXT NOT NULL);
CREATE INDEX shipments_of_order ON shipments (order_id);
CREATE TABLE payments (
  payment_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, kind TEXT NOT NULL, amount_cents INTEGER NOT NULL,
  status TEXT NOT NULL, created_on TEXT NOT NULL);
CREATE INDEX payments_of_order ON payments (order_id);
CREATE TABLE refunds (
  refund_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, payment_id TEXT NOT NULL, amount_cents INTEGER NOT NULL,
  reason_code TEXT NOT NULL, operation_id TEXT NOT NULL, request_key TEXT NOT NULL, ticket_id TEXT NOT NULL,
  created_at TEXT NOT NULL, seq INTEGER UNIQUE, lag_ns INTEGER NOT NULL DEFAULT 0, reversed_at TEXT NOT NULL DEFAULT '');
CREATE TABLE return_labels (
  label_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, sku TEXT NOT NULL, reason TEXT NOT NULL,
  fee_cents INTEGER NOT NULL, operation_id TEXT NOT NULL, request_key TEXT NOT NULL, ticket_id TEXT NOT NULL,
  created_at TEXT NOT NULL, seq INTEGER UNIQUE, lag_ns INTEGER NOT NULL DEFAULT 0, reversed_at TEXT NOT NULL DEFAULT '');
CREATE TABLE reshipments (
  reshipment_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, sku TEXT NOT NULL, quantity INTEGER NOT NULL,
  operation_id TEXT NOT NULL, request_key TEXT NOT NULL, ticket_id TEXT NOT NULL,
  created_at TEXT NOT NULL, seq INTEGER UNIQUE, lag_ns INTEGER NOT NULL DEFAULT 0, reversed_at TEXT NOT NULL DEFAULT '');
CREATE TABLE ticket_notes (
  note_id TEXT NOT NULL, record_id TEXT NOT NULL, ticket_id TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (ticket_id, note_id));
CREATE TABLE operations (
  operation_id TEXT PRIMARY KEY, tool TEXT NOT NULL, arguments TEXT NOT NULL, ticket_id TEXT NOT NULL,
  result TEXT NOT NULL, open INTEGER NOT NULL, created_at TEXT NOT NULL, done_at TEXT NOT NULL);
CREATE TABLE requests (
  operation_id TEXT NOT NULL, tool TEXT NOT NULL, arguments TEXT NOT NULL, ticket_id TEXT NOT NULL,
  count INTEGER NOT NULL, PRIMARY KEY (operation_id, tool, arguments, ticket_id));
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE faults_used (run TEXT NOT NULL, fault TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (run, fault));
`

// schemaVersion is kept in the file's user_version; it is raised with every change of the schema.
const schemaVersion = 1

// applicationID marks the file as one of ours: "LKFD" in ASCII.
const applicationID = 0x4c4b4644
