package services

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/resolver"
)

// ReadImage returns what a file remembers beyond its data. The file is left as it is, except that what a
// killed process had not committed is taken back, as any opening does.
//
// Errors: as Open's.
func ReadImage(ctx context.Context, path string) (*Image, error) {
	mode := "ro"
	if _, err := os.Stat(path + "-journal"); err == nil {
		mode = "rw" // the commit of a killed process has to be taken back first
	}
	s, err := openStore(ctx, path, mode)
	if err != nil {
		return nil, err
	}
	defer s.db.Close()
	return s.image(ctx)
}

// Image returns what the file remembers beyond its data.
func (f *File) Image(ctx context.Context) (*Image, error) { return f.store.image(ctx) }

func (s *fileStore) image(ctx context.Context) (*Image, error) {
	var image *Image
	err := s.view(ctx, func(t tables) (err error) {
		image, err = t.(*fileTables).image()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the image: %w", err)
	}
	return image, nil
}

func (t *fileTables) image() (*Image, error) {
	i := &Image{}
	var err error
	if i.Ledger, err = t.Effects(); err != nil {
		return nil, err
	}
	if _, err = t.one(`SELECT value FROM counters WHERE name = 'requests'`, nil, &i.Requests); err != nil {
		return nil, err
	}
	if i.Keys, err = t.keys(); err != nil {
		return nil, err
	}
	if i.Received, err = t.received(); err != nil {
		return nil, err
	}
	if err = t.touched(i); err != nil {
		return nil, err
	}
	i.Notes, err = list(t, func(n *Note) []any { return []any{&n.RecordID, &n.TicketID, &n.ID, &n.Text} },
		`SELECT record_id, ticket_id, note_id, text FROM ticket_notes ORDER BY rowid`)
	if err != nil {
		return nil, err
	}
	i.FaultsUsed, err = list(t, func(u *FaultUse) []any { return []any{&u.Run, &u.Fault, &u.Count} },
		`SELECT run, fault, count FROM faults_used ORDER BY run, fault`)
	return i, err
}

func (t *fileTables) keys() ([]keyRecord, error) {
	rows, err := list(t, (*operationRow).fields, `SELECT `+operationColumns+` FROM operations ORDER BY operation_id`)
	var records []keyRecord
	for i := range rows {
		record, err := rows[i].read()
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, err
}

func (t *fileTables) received() ([]receipt, error) {
	type row struct {
		receipt
		arguments string
	}
	rows, err := list(t, func(r *row) []any { return []any{&r.Operation, &r.Tool, &r.arguments, &r.Caller, &r.Count} },
		`SELECT operation_id, tool, arguments, ticket_id, count FROM requests ORDER BY rowid`)
	var receipts []receipt
	for _, r := range rows {
		if err := json.Unmarshal([]byte(r.arguments), &r.Payload); err != nil {
			return nil, fmt.Errorf("%w: request %s: arguments: %w", errDamaged, r.Operation, err)
		}
		receipts = append(receipts, r.receipt)
	}
	return receipts, err
}

// touched reads the status of every payment that a refund named and the stock of every product that was
// reshipped. The values come from the tables, not from the ledger, so a file in which they disagree has
// another image than memory has.
func (t *fileTables) touched(i *Image) error {
	for _, e := range i.Ledger {
		a := e.Payload
		if a.PaymentID != "" && !slices.ContainsFunc(i.Payments, func(p PaymentStatus) bool { return p.PaymentID == a.PaymentID }) {
			p := PaymentStatus{PaymentID: a.PaymentID}
			if _, err := t.one(`SELECT status FROM payments WHERE payment_id = ?`, []any{a.PaymentID}, &p.Status); err != nil {
				return err
			}
			i.Payments = append(i.Payments, p)
		}
		if a.Tool == resolver.ReshipItem && !slices.ContainsFunc(i.Stock, func(s Stock) bool { return s.SKU == a.SKU }) {
			p, _, err := t.product(a.SKU)
			if err != nil {
				return err
			}
			i.Stock = append(i.Stock, Stock{SKU: a.SKU, Stock: p.Stock})
		}
	}
	slices.SortFunc(i.Payments, func(a, b PaymentStatus) int { return strings.Compare(a.PaymentID, b.PaymentID) })
	slices.SortFunc(i.Stock, func(a, b Stock) int { return strings.Compare(a.SKU, b.SKU) })
	return nil
}
