package explorer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/paytwice/paytwice/explorer"
)

// Programs whose failures are read for what they tell.
func init() {
	inner["a new key each time"] = newKeys
}

// newKeys pays three orders back, one after the other, and names each attempt anew.
func newKeys(*testing.T) explorer.Program {
	orders := []string{"o-1", "o-2", "o-3"}
	p := with(func(ctx context.Context, env *explorer.Env) error {
		for _, order := range orders {
			if marked(env, order) {
				continue
			}
			if err := refund(ctx, env, order, fmt.Sprintf("key-%d", rand.Uint64())); err != nil {
				return err
			}
			if err := mark(ctx, env, order); err != nil {
				return err
			}
		}
		return nil
	})
	p.Want, p.Crashes = explorer.ExactlyOnce(orders...), 1
	return p
}
