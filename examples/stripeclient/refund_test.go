package stripeclient_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stripe/stripe-go/v85"

	"github.com/paytwice/paytwice/examples/internal/shop"
	"github.com/paytwice/paytwice/examples/stripeclient"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// client is Stripe's, with nothing changed but where it sends to.
func client(url string, c *http.Client) *stripe.Client {
	return stripe.NewClient("sk_test_123", stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: stripe.String(url), HTTPClient: c, LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}, EnableTelemetry: stripe.Bool(false),
	})))
}

func program(key string) explorer.Program {
	return explorer.Program{
		Provider: provider.ReplayAll(),
		Want:     explorer.ExactlyOnce("ch_1"),
		Run: func(ctx context.Context, env *explorer.Env) error {
			done := filepath.Join(env.Dir(), "refunded")
			if _, err := os.Stat(done); err == nil {
				return nil
			}
			if err := stripeclient.Refund(ctx, client(env.ProviderURL(), env.HTTPClient()), "ch_1", key); err != nil {
				return err
			}
			faults.Here(ctx, "refunded")
			return os.WriteFile(done, nil, 0o644)
		},
	}
}

func TestBroken(t *testing.T) {
	shop.Finds(t, program(""), "double-write", "kill provider.refund/during#1")
}

func TestMended(t *testing.T) { explorer.Test(t, program("refund-ch_1")) }

// The client reads what the double answers: a refund, a list, a refusal, the first answer again. And a lost
// answer doubles nothing: it sends the request again under its own key.
func TestClient(t *testing.T) {
	s := provider.New(t, provider.ReplayAll())
	c := client(s.URL, nil)
	params := func(charge string, cents int64) *stripe.RefundCreateParams {
		return &stripe.RefundCreateParams{Charge: stripe.String(charge), Amount: stripe.Int64(cents)}
	}
	s.Next(provider.Knobs{Trouble: provider.LoseAfter})
	first, err := c.V1Refunds.Create(t.Context(), params("ch_1", 995))
	if err != nil || first.Amount != 995 || first.Status != stripe.RefundStatusSucceeded {
		t.Fatalf("%+v, %v", first, err)
	}
	if l := s.Ledger(); len(l) != 1 || s.Received() != 2 {
		t.Errorf("%d refunds by %d requests", len(l), s.Received())
	}
	again, err := c.V1Refunds.Retrieve(t.Context(), first.ID, nil)
	if err != nil || again.ID != first.ID {
		t.Errorf("%+v, %v", again, err)
	}
	n := 0
	for r, err := range c.V1Refunds.List(t.Context(), &stripe.RefundListParams{Charge: stripe.String("ch_1")}).All(t.Context()) {
		if err != nil || r.ID != first.ID {
			t.Errorf("%+v, %v", r, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d listed", n)
	}
	keyed := params("ch_2", 995)
	keyed.SetIdempotencyKey("k")
	if _, err := c.V1Refunds.Create(t.Context(), keyed); err != nil {
		t.Error(err)
	}
	reused := params("ch_2", 996)
	reused.SetIdempotencyKey("k")
	var told *stripe.Error
	if _, err := c.V1Refunds.Create(t.Context(), reused); !errors.As(err, &told) || told.Type != stripe.ErrorTypeIdempotency {
		t.Errorf("%v", err)
	}
}
