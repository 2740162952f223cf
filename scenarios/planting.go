package scenarios

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// Planting is the refund program with a piece swapped for a broken one. The zero Planting swaps nothing.
type Planting struct {
	// Tamper swaps a piece of the resolver before each life. What it finds in the runner has its points:
	// a piece that is put around it is part of the program, not of the harness.
	Tamper func(*resolver.Runner, Bench)
	// Data is what the services hold instead of the course's data.
	Data func(*larkfield.Data) *larkfield.Data
}

// Bench is what a broken piece may use beside the runner.
type Bench struct {
	Seat *seams.Seat
	// Cancel takes back what was made under a key, where the provider can; nil in a child process.
	Cancel func(ctx context.Context, key string) error
}

// Simulate returns the program in memory.
func (p Planting) Simulate(s Setting) (explorer.World, error) {
	r, err := newPlanted(s, p)
	if err != nil {
		return nil, err
	}
	return simulateRefund(r), nil
}

// Program returns the program as processes whose main is Child, under the name of a task.
func (p Planting) Program(s Setting, task string) (Program, error) {
	r, err := newPlanted(s, p)
	return refundProcess{r, task}, err
}

// PlantedChild is the main of a child process; plantings knows the program of a setting.
func PlantedChild(ctx context.Context, at *child.Seat, plantings func(Setting) (Planting, error)) (history.End, error) {
	var setting Setting
	if err := json.Unmarshal(at.Order.Config, &setting); err != nil {
		return history.Failed, fmt.Errorf("setting: %w", err)
	}
	p, err := plantings(setting)
	if err != nil {
		return history.Failed, err
	}
	return childOf(ctx, at, setting, p)
}

// newPlanted returns the program of a setting, whose scenario may be any that is made of the refund.
func newPlanted(s Setting, p Planting) (*refund, error) {
	name := s.Scenario
	s.Scenario = Refund
	s = s.WithDefaults()
	s.Scenario = name
	r, err := newRefund(s)
	if err == nil {
		r.planted = p
	}
	return r, err
}
