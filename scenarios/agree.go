package scenarios

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/explorer"
)

// Agreement is one scenario explored in memory and by real kills.
type Agreement struct {
	Simulated explorer.Result
	Killed    explorer.Result
}

// Explorations explores a scenario's own setting in both modes, every plan of up to the allowed kills.
// Each incarnation is run once, not twice.
//
// Errors: ErrNoKill where processes can't really be killed; those of explorer.Explore.
func Explorations(ctx context.Context, s Scenario, crashes int) (a Agreement, err error) {
	settings, err := s.Settings(s.Setting)
	if err != nil {
		return a, err
	}
	o := explorer.Options{Crashes: crashes, Settings: settings, Once: true}
	world, err := s.Simulate(s.Setting)
	if err != nil {
		return a, err
	}
	if a.Simulated, err = explorer.Explore(ctx, world, o); err != nil {
		return a, fmt.Errorf("%s, simulated: %w", s.Name, err)
	}
	program, err := s.Program(s.Setting)
	if err != nil {
		return a, err
	}
	killed, err := NewKilled(ctx, program, KillOptions{})
	if err != nil {
		return a, err
	}
	defer killed.Close()
	if a.Killed, err = explorer.Explore(ctx, killed, o); err != nil {
		return a, fmt.Errorf("%s, by real kills: %w", s.Name, err)
	}
	return a, nil
}

// Difference says where the two modes do not agree: in the points, the plans, the states, the verdict or
// a counterexample. It is empty when they do.
func (a Agreement) Difference() string {
	s, k := a.Simulated, a.Killed
	switch {
	case fmt.Sprint(s.Points) != fmt.Sprint(k.Points):
		return fmt.Sprintf("points %v simulated, %v by real kills", s.Points, k.Points)
	case s.PlansCovered != k.PlansCovered || s.PlansDistinct != k.PlansDistinct || s.HandedToPerson != k.HandedToPerson:
		return fmt.Sprintf("plans %d, distinct %d, to a person %d simulated; %d, %d, %d by real kills",
			s.PlansCovered, s.PlansDistinct, s.HandedToPerson, k.PlansCovered, k.PlansDistinct, k.HandedToPerson)
	case s.States != k.States:
		return fmt.Sprintf("%d states simulated, %d by real kills", s.States, k.States)
	case s.Verdict() != k.Verdict() || fmt.Sprint(s.Found) != fmt.Sprint(k.Found):
		return fmt.Sprintf("%s %v simulated, %s %v by real kills", s.Verdict(), s.Found, k.Verdict(), k.Found)
	}
	return ""
}
