// Package planted is a catalogue of broken programs: the resolver, or the transfer program, with one piece
// swapped for a broken one.
// Each names the invariant that must catch it; what misses one is a judge or a search that can't be
// trusted when it finds nothing.
//
// It imports scenarios and its parts; nothing of the resolver or the search imports it.
package planted

import (
	"context"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/transfer"
)

// Prefix begins the scenario name of every planted bug.
const Prefix = "planted/"

// Modes in which a planted bug is to be caught.
const (
	Simulate = "simulate"
	Kill     = "kill"
)

// Bug is one broken program.
type Bug struct {
	Name string
	// Doc says in one line what is wrong with it.
	Doc string
	// Invariant must catch it.
	Invariant string
	// Provider, Strategy and Ticket are what it runs with.
	Provider string
	Strategy string
	Ticket   string
	// Mode is Kill where its smallest plan must expose it by real kills, too.
	Mode string
	// Faults beside the kill that a plan may use, each without its point; Crashes is how many faults a
	// plan may have.
	Faults  []string
	Crashes int
	// Planting is the swapped piece of the resolver.
	Planting scenarios.Planting
	// Form is the scenario of the transfer program whose piece Transfer swaps; empty for the resolver.
	Form     string
	Transfer transfer.Planting
}

// All returns the planted bugs, family by family.
func All() []Bug {
	return slices.Concat(recordBugs(), keyBugs(), answerBugs(), approvalBugs(), leaseBugs(), repeatBugs(), ruleBugs(), transferBugs())
}

// ByName returns the bug of a name, with or without the prefix.
func ByName(name string) (Bug, bool) {
	name = strings.TrimPrefix(name, Prefix)
	for _, b := range All() {
		if b.Name == name {
			return b, true
		}
	}
	return Bug{}, false
}

// Scenarios returns every planted bug as a scenario.
func Scenarios() []scenarios.Scenario {
	var all []scenarios.Scenario
	for _, b := range All() {
		all = append(all, b.scenario())
	}
	return all
}

// Setting returns what the bug runs with.
func (b Bug) Setting() scenarios.Setting {
	if b.Form != "" {
		return scenarios.Setting{Scenario: Prefix + b.Name}
	}
	s := scenarios.Setting{Scenario: scenarios.Refund, Provider: b.Provider, Strategy: b.Strategy, Ticket: b.Ticket}.WithDefaults()
	s.Scenario = Prefix + b.Name
	return s
}

// Settings returns what the judge has to know.
func (b Bug) Settings() (check.Settings, error) { return b.mended().Settings(b.Setting()) }

// mended is the scenario whose program the bug's is, but for the one piece.
func (b Bug) mended() scenarios.Scenario {
	for _, s := range transfer.Scenarios() {
		if s.Name == b.Form {
			return s
		}
	}
	return scenarios.RefundScenario()
}

// Unplanted returns the bug's program with nothing swapped, under the same settings.
func (b Bug) Unplanted() Bug {
	b.Planting, b.Transfer = scenarios.Planting{}, transfer.Planting{}
	return b
}

// Simulate returns the program in memory.
func (b Bug) Simulate() (explorer.World, error) {
	if b.Form == "" {
		return b.Planting.Simulate(b.Setting())
	}
	small, err := transfer.Planted(b.Form, Prefix+b.Name, b.Transfer)
	if err != nil {
		return nil, err
	}
	return small.Simulated(), nil
}

func (b Bug) program() (scenarios.Program, error) {
	if b.Form == "" {
		return b.Planting.Program(b.Setting(), Prefix+b.Name)
	}
	small, err := transfer.Planted(b.Form, Prefix+b.Name, b.Transfer)
	if err != nil {
		return nil, err
	}
	return small.Process(), nil
}

// Events returns the faults beside the kill.
func (b Bug) Events() []faults.Event {
	var out []faults.Event
	for _, text := range b.Faults {
		out = append(out, eventOf(text))
	}
	return out
}

// eventOf returns a fault without its point. It panics on a text that is none: the catalogue is wrong.
func eventOf(text string) faults.Event {
	for _, at := range []string{"", " any.call/during#1"} {
		if p, err := faults.Parse(text + at); err == nil && p.Faults() == 1 {
			e := p[0][0]
			e.Point = faults.Point{}
			return e
		}
	}
	panic("planted: " + text + " is no fault")
}

func (b Bug) scenario() scenarios.Scenario {
	s := scenarios.Scenario{
		Name: Prefix + b.Name, Doc: b.Doc, Source: "planted", Broken: true, Expect: b.Invariant, Mended: b.mended().Name,
		Setting: b.Setting(), Faults: b.Faults, Sites: b.mended().Sites,
		Simulate: func(scenarios.Setting) (explorer.World, error) { return b.Simulate() },
		Settings: func(scenarios.Setting) (check.Settings, error) { return b.Settings() },
		Tasks:    map[string]scenarios.Task{Prefix + b.Name: b.child},
	}
	// Some pieces can be swapped in memory only; as a process such a bug would silently not be there.
	if b.Mode == Kill {
		s.Program = func(scenarios.Setting) (scenarios.Program, error) { return b.program() }
	}
	return s
}

func (b Bug) child(ctx context.Context, at *child.Seat) (history.End, error) {
	if b.Form != "" {
		return transfer.PlantedChild(ctx, at, b.Form, b.Transfer)
	}
	return scenarios.PlantedChild(ctx, at, func(scenarios.Setting) (scenarios.Planting, error) { return b.Planting, nil })
}
