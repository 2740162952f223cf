package services

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// strike is one use of a practice fault.
type strike struct {
	fault   string
	trouble provider.Trouble
}

// strike returns the fault that strikes the caller's use of a tool now, and records the use in the same
// transaction: when the caller dies before it saves what it saw, the fault still doesn't happen again.
func (d desk) strike(t tables, tool string) (*strike, error) {
	for _, f := range d.caller.Faults {
		if f.Tool != tool {
			continue
		}
		used, err := t.faultUses(d.caller.run(), f.Name())
		if err != nil {
			return nil, err
		}
		if used >= f.Times {
			continue
		}
		return &strike{fault: f.Name(), trouble: f.trouble(used + 1)}, t.useFault(d.caller.run(), f.Name())
	}
	return nil, nil
}

// wrap returns err as the fault's; without a fault, err as it is.
func (s *strike) wrap(err error) error {
	if s == nil || err == nil {
		return err
	}
	return &resolver.FaultError{Fault: s.fault, Err: err}
}

// read runs f over the tables unless a fault strikes the caller's use of the tool.
func (d desk) read(ctx context.Context, tool string, f func(tables) error) error {
	if err := d.struckRead(ctx, tool); err != nil {
		return err
	}
	return d.world.store.view(ctx, f)
}

func (d desk) struckRead(ctx context.Context, tool string) error {
	if !d.mayStrike(tool) {
		return nil
	}
	var s *strike
	err := d.world.store.update(ctx, func(t tables) (err error) {
		s, err = d.strike(t, tool)
		return err
	})
	if err != nil || s == nil {
		return err
	}
	if s.trouble == provider.UnavailableBefore {
		return s.wrap(fmt.Errorf("%s: %w", tool, resolver.ErrUnavailable))
	}
	return s.wrap(fmt.Errorf("%s: %w", tool, resolver.ErrTimeout))
}

// mayStrike spares the reads of a caller without faults a transaction that writes.
func (d desk) mayStrike(tool string) bool {
	for _, f := range d.caller.Faults {
		if f.Tool == tool {
			return true
		}
	}
	return false
}
