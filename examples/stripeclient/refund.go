// Package stripeclient refunds with Stripe's own client.
//
// That client sends each of its retries under one key, which it makes at random for each call. So a lost
// answer doubles nothing while the process lives. A process that is started again makes another key, and the
// refund is made twice. The mended form gives the call a key that a restart finds again.
package stripeclient

import (
	"context"

	"github.com/stripe/stripe-go/v85"
)

// Refund pays a charge back, under a key unless it is empty.
func Refund(ctx context.Context, client *stripe.Client, charge, key string) error {
	params := &stripe.RefundCreateParams{Charge: stripe.String(charge), Amount: stripe.Int64(995)}
	if key != "" {
		params.SetIdempotencyKey(key)
	}
	_, err := client.V1Refunds.Create(ctx, params)
	return err
}
