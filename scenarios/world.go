package scenarios

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

// Simulate returns the world of a setting, in memory.
//
// Errors: *UnknownError for a name that means nothing.
func Simulate(s Setting) (explorer.World, error) {
	s = s.WithDefaults()
	if s.Scenario != Refund {
		return nil, unknown("scenario", s.Scenario, []string{Refund})
	}
	r, err := newRefund(s)
	if err != nil {
		return nil, err
	}
	return simulateRefund(r), nil
}

func simulateRefund(r *refund) *Simulated {
	base := services.NewMemory(r.servicesConfig((&Clock{now: Today}).Now))
	return NewSimulated(func(c *Clock) Machine { return r.machine(base, c) })
}

// Settings returns what the judge has to know of a setting.
func Settings(s Setting) (check.Settings, error) {
	s = s.WithDefaults()
	strategy, err := CheckStrategy(s.Strategy)
	if err != nil {
		return check.Settings{}, err
	}
	profile, err := CheckProvider(s.Provider)
	if err != nil {
		return check.Settings{}, fmt.Errorf("%w", err)
	}
	can := profile.Capabilities()
	return check.Settings{SendsKey: strategy.SendsKey, Keys: can.Keys, Lookup: can.Lookup, MaxCalls: resolver.MaxCalls}, nil
}
