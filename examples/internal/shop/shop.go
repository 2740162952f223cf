// Package shop is what the examples share: a database with points, and one call of the payment provider.
package shop

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults/sqlfault"
	"modernc.org/sqlite"
)

// Open opens the program's database, with a point around each statement.
func Open(env *explorer.Env) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(filepath.Join(env.Dir(), "shop.db"))
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(sqlfault.NewConnector(connector, nil)), nil
}

// Provider is the payment provider as a program sees it.
type Provider struct {
	Client *http.Client
	URL    string
}

// Of returns the provider of a test.
func Of(env *explorer.Env) Provider { return Provider{env.HTTPClient(), env.ProviderURL()} }

// Send asks for a charge or a refund (kind is the path), under a key unless it is empty.
func (p Provider) Send(ctx context.Context, kind, order, key string) error {
	body, err := json.Marshal(map[string]any{"order": order, "amount_cents": 995})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/"+kind, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := p.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s of %s: %s", kind, order, resp.Status)
	}
	return nil
}
