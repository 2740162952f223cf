package cli

import (
	"context"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// Wall is the real time. Everything below cmd takes a clock; only programs have this one.
type Wall struct{}

var _ resolver.Clock = Wall{}

// Now implements resolver.Clock.
func (Wall) Now() time.Time { return time.Now() }

// Wait implements resolver.Clock.
func (Wall) Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
