package scenarios

import (
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

func simulateRefund(r *refund) *Simulated {
	base := services.NewMemory(r.servicesConfig(NewClock(Today).Now))
	return NewSimulated(func(c *Clock) Machine { return r.machine(base, c) })
}

// refundSettings returns what the judge has to know of the resolver under a strategy and a profile.
func refundSettings(s Setting) (check.Settings, error) {
	s = s.WithDefaults()
	strategy, err := CheckStrategy(s.Strategy)
	if err != nil {
		return check.Settings{}, err
	}
	profile, err := CheckProvider(s.Provider)
	if err != nil {
		return check.Settings{}, err
	}
	can := profile.Capabilities()
	return check.Settings{SendsKey: strategy.SendsKey, Keys: can.Keys, Lookup: can.Lookup, MaxCalls: MaxCalls,
		OneByOne: true, TrailsAttempts: strategy.Record == resolver.RecordAttemptFirst, NamesRecords: strategy.Record != resolver.RecordDoneFirst}, nil
}

// MaxCalls is the policy's bound on the calls for one action. The judge does not ask the code under test for it.
const MaxCalls = 3
