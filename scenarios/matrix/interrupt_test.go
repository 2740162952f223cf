package matrix_test

import (
	"context"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// TestRun_Interrupted: what was filled is kept, and there is something soon: not every setting is looked at first.
func TestRun_Interrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r := matrix.Request{Points: []string{matrix.AfterWrite}, Mode: matrix.Simulate, Workers: 1}
	for _, s := range strategy.Names() {
		r.Settings = append(r.Settings, scenarios.Setting{Strategy: s})
	}
	r.Progress = func(done, total int) {
		if done < 1 || total < len(r.Settings) {
			t.Errorf("%d of %d plans of %d settings", done, total, len(r.Settings))
		}
		stop()
	}
	got, err := matrix.Run(ctx, r)
	if err != nil || len(got.Matrix.Cells) != 1 || len(got.Cases) != 1 || !strings.Contains(got.Matrix.LeftOut, "settings were not looked at") {
		t.Errorf("%v: %d cells, %d cases; %s", err, len(got.Matrix.Cells), len(got.Cases), got.Matrix.LeftOut)
	}
}
