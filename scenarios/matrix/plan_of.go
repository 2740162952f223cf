package matrix

import (
	"context"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// PlanOf returns the first plan of a point's name for a setting, nil when its undisturbed run does not pass
// the point.
func PlanOf(ctx context.Context, s scenarios.Setting, name string) (faults.Plan, error) {
	sc := scenarios.RefundScenario()
	settings, err := sc.Settings(s)
	if err != nil {
		return nil, err
	}
	w, err := sc.Simulate(s)
	if err != nil {
		return nil, err
	}
	r, err := explorer.Replay(ctx, w, nil, explorer.Options{Settings: settings})
	if err != nil {
		return nil, err
	}
	strokes, err := baseOf(r.History, approved(r.Outcome)).strokes(name)
	if err != nil || len(strokes) == 0 {
		return nil, err
	}
	return strokes[0].plan, nil
}
