package workflow_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/paytwice/paytwice/examples/internal/shop"
	"github.com/paytwice/paytwice/examples/workflow"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults/provider"
)

func program(noKey bool) explorer.Program {
	return explorer.Program{
		Provider: provider.ReplayAll(),
		Want:     explorer.ExactlyOnce("order-1"),
		Crashes:  1,
		Timeout:  time.Minute,
		Run: func(ctx context.Context, env *explorer.Env) error {
			return workflow.Run(ctx, filepath.Join(env.Dir(), "workflows.db"), workflow.Refunder{Provider: shop.Of(env), NoKey: noKey}, "order-1")
		},
	}
}

func TestBroken(t *testing.T) {
	shop.Finds(t, program(true), "double-write", "kill provider.refund/during#1")
}

func TestMended(t *testing.T) { explorer.Test(t, program(false)) }
