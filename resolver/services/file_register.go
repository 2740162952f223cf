package services

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

type (
	keyRecord = provider.KeyRecord[resolver.Action]
	receipt   = provider.Receipt[resolver.Action]
)

// NextRequest implements [provider.Register].
func (t *fileTables) NextRequest() (n int, err error) {
	err = t.tx.QueryRowContext(t.ctx, `INSERT INTO counters VALUES ('requests', 1)
		ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value`).Scan(&n)
	return n, err
}

// Receive implements [provider.Register].
func (t *fileTables) Receive(r receipt) error {
	arguments, err := json.Marshal(r.Payload)
	if err != nil {
		return err
	}
	return t.exec(`INSERT INTO requests (operation_id, tool, arguments, ticket_id, count) VALUES (?, ?, ?, ?, 1)
		ON CONFLICT DO UPDATE SET count = count + 1`, r.Operation, r.Tool, string(arguments), r.Caller)
}

const operationColumns = `operation_id, tool, arguments, ticket_id, result, open, created_at, done_at`

// operationRow is a row of operations before its texts are read.
type operationRow struct {
	record                            keyRecord
	arguments, result, created, ended string
}

func (r *operationRow) fields() []any {
	return []any{&r.record.Key, &r.record.Tool, &r.arguments, &r.record.Caller, &r.result, &r.record.Open, &r.created, &r.ended}
}

func (r *operationRow) read() (keyRecord, error) {
	if err := json.Unmarshal([]byte(r.arguments), &r.record.Payload); err != nil {
		return keyRecord{}, fmt.Errorf("%w: operation %s: arguments: %w", errDamaged, r.record.Key, err)
	}
	if err := json.Unmarshal([]byte(r.result), &r.record.Answer); err != nil {
		return keyRecord{}, fmt.Errorf("%w: operation %s: result: %w", errDamaged, r.record.Key, err)
	}
	var err error
	if r.record.FirstAt, err = parseTime(r.created); err == nil {
		r.record.DoneAt, err = parseTime(r.ended)
	}
	if err != nil {
		return keyRecord{}, fmt.Errorf("%w: operation %s: time: %w", errDamaged, r.record.Key, err)
	}
	return r.record, nil
}

// Key implements [provider.Register].
func (t *fileTables) Key(key string) (keyRecord, bool, error) {
	var row operationRow
	found, err := t.one(`SELECT `+operationColumns+` FROM operations WHERE operation_id = ?`, []any{key}, row.fields()...)
	if err != nil || !found {
		return keyRecord{}, false, err
	}
	record, err := row.read()
	return record, err == nil, err
}

// PutKey implements [provider.Register].
func (t *fileTables) PutKey(r keyRecord) error {
	arguments, err := json.Marshal(r.Payload)
	if err != nil {
		return err
	}
	result, err := json.Marshal(r.Answer)
	if err != nil {
		return err
	}
	return t.exec(`INSERT OR REPLACE INTO operations (`+operationColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Key, r.Tool, string(arguments), r.Caller, string(result), r.Open, timeText(r.FirstAt), timeText(r.DoneAt))
}

// DropKey implements [provider.Register].
func (t *fileTables) DropKey(key string) error {
	return t.exec(`DELETE FROM operations WHERE operation_id = ?`, key)
}

// Append implements [provider.Register]. The ledger has no table of its own: the refunds, labels and
// reshipments are the ledger.
func (t *fileTables) Append(e Effect) error {
	t.known = false
	a := e.Payload
	at, reversed := timeText(e.At), timeText(e.ReversedAt)
	switch a.Tool {
	case resolver.RequestRefund:
		return t.exec(`INSERT INTO refunds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, e.Record, a.OrderID, a.PaymentID, a.AmountCents, a.ReasonCode,
			e.Operation, e.Key, e.Caller, at, e.Seq, e.Lag, reversed)
	case resolver.ReshipItem:
		return t.exec(`INSERT INTO reshipments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, e.Record, a.OrderID, a.SKU, a.Quantity,
			e.Operation, e.Key, e.Caller, at, e.Seq, e.Lag, reversed)
	default:
		return t.exec(`INSERT INTO return_labels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, e.Record, a.OrderID, a.SKU, a.Reason, labelFeeCents[a.Reason],
			e.Operation, e.Key, e.Caller, at, e.Seq, e.Lag, reversed)
	}
}

// ledgerQuery joins the three tables of changes into the ledger, whose order is by seq: sorted there, the three
// would cost more to compile than all that is asked otherwise.
const ledgerQuery = `
SELECT 'request_refund', refund_id, order_id, '', 0, amount_cents, reason_code, payment_id, '', operation_id, request_key, ticket_id, created_at, seq, lag_ns, reversed_at
  FROM refunds WHERE seq IS NOT NULL
UNION ALL
SELECT 'reship_item', reshipment_id, order_id, sku, quantity, 0, '', '', '', operation_id, request_key, ticket_id, created_at, seq, lag_ns, reversed_at
  FROM reshipments WHERE seq IS NOT NULL
UNION ALL
SELECT 'create_return_label', label_id, order_id, sku, 0, 0, '', '', reason, operation_id, request_key, ticket_id, created_at, seq, lag_ns, reversed_at
  FROM return_labels WHERE seq IS NOT NULL`

type ledgerRow struct {
	effect            Effect
	created, reversed string
}

func (r *ledgerRow) fields() []any {
	e, a := &r.effect, &r.effect.Payload
	return []any{&e.Tool, &e.Record, &a.OrderID, &a.SKU, &a.Quantity, &a.AmountCents, &a.ReasonCode, &a.PaymentID, &a.Reason,
		&e.Operation, &e.Key, &e.Caller, &r.created, &e.Seq, &e.Lag, &r.reversed}
}

// Effects implements [provider.Register].
func (t *fileTables) Effects() ([]Effect, error) {
	if t.known {
		return t.ledger, nil
	}
	rows, err := list(t, (*ledgerRow).fields, ledgerQuery)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b ledgerRow) int { return cmp.Compare(a.effect.Seq, b.effect.Seq) })
	ledger := make([]Effect, len(rows))
	for i, row := range rows {
		e := row.effect
		e.Payload.Tool = resolver.Tool(e.Tool)
		if e.At, err = parseTime(row.created); err == nil {
			e.ReversedAt, err = parseTime(row.reversed)
		}
		if err != nil || e.Seq != i+1 {
			return nil, fmt.Errorf("%w: change %d of the ledger (%s) can't be read", errDamaged, i+1, e.Record)
		}
		ledger[i] = e
	}
	if len(ledger) == 0 {
		ledger = nil
	}
	t.ledger, t.known = ledger, true
	return ledger, nil
}

// Reverse implements [provider.Register].
func (t *fileTables) Reverse(e Effect) error {
	t.known = false
	table := map[resolver.Tool]string{
		resolver.RequestRefund: "refunds", resolver.ReshipItem: "reshipments", resolver.CreateReturnLabel: "return_labels",
	}[e.Payload.Tool]
	return t.exec(`UPDATE `+table+` SET reversed_at = ? WHERE seq = ?`, timeText(e.ReversedAt), e.Seq)
}
