package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// The names of the scenarios; the first is the mended form.
const (
	Name       = "batch"
	NoProgress = "batch/no-progress"
	NoKey      = "batch/no-key"
)

// source is the lesson that the program comes from.
const source = "lesson \"Checkpoints for long work\""

// named is a form with its name.
type named struct {
	name string
	form Form
	doc  string
}

func forms() []named {
	return []named{
		{Name, Form{Progress: true, Key: true}, "five charges, with a progress file and a key"},
		{NoProgress, Form{}, "five charges, started from the beginning after a kill"},
		{NoKey, Form{Progress: true}, "five charges, with a progress file and no key"},
	}
}

// Scenarios returns the program in its three forms, the mended one first.
func Scenarios() []scenarios.Scenario {
	var all []scenarios.Scenario
	for _, n := range forms() {
		all = append(all, n.scenario())
	}
	return all
}

func (n named) scenario() scenarios.Scenario {
	s := scenarios.Scenario{Name: n.name, Doc: n.doc, Source: source,
		Setting:  scenarios.Setting{Scenario: n.name},
		Simulate: func(scenarios.Setting) (explorer.World, error) { return n.program().Simulated(), nil },
		Program:  func(scenarios.Setting) (scenarios.Program, error) { return n.program().Process(), nil },
		Settings: func(scenarios.Setting) (check.Settings, error) { return n.form.settings(), nil },
		Tasks:    map[string]scenarios.Task{Name: run},
		Sites:    sites,
	}
	if !n.form.Key {
		s.Broken, s.Expect, s.Mended = true, "double-write", Name
	}
	return s
}

func (n named) program() *scenarios.Small {
	f := n.form
	return &scenarios.Small{Task: Name, Form: n.name, Live: f.live, Canonical: f.canonical, Outcome: f.outcome}
}

// settings leave out the one invariant that asks for an approval: the task was told to charge.
func (f Form) settings() check.Settings {
	only := slices.DeleteFunc(check.Names(), func(name string) bool { return name == "unapproved-write" })
	return check.Settings{SendsKey: f.Key, Keys: f.Key, Lookup: f.Key, Only: only}
}

// run is the main of a child process.
func run(ctx context.Context, at *child.Seat) (history.End, error) {
	var name string
	if err := json.Unmarshal(at.Order.Config, &name); err != nil {
		return history.Failed, fmt.Errorf("form: %w", err)
	}
	for _, n := range forms() {
		if n.name == name {
			return scenarios.LiveSmall(ctx, at, n.program())
		}
	}
	return history.Failed, &scenarios.UnknownError{Kind: "form", Name: name}
}

// sites are the operations of its seams, in all forms of the program; true where the other side is another process.
var sites = map[faults.Site]bool{
	{Seam: "progress", Operation: "load"}: false,
	{Seam: "progress", Operation: "save"}: false,
	{Seam: "log", Operation: "read"}:      false,
	{Seam: "log", Operation: "charge"}:    false,
}
