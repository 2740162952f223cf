package graphnode

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// The names of the scenarios; the first is the mended form.
const (
	Name          = "graph-node"
	NewID         = "graph-node/new-id"
	WriteAfter    = "graph-node/write-after"
	WriteAfterNew = "graph-node/write-after-new-id"
)

// Form says how the node is written.
type Form struct {
	// WriteAfter: the refund stands after the pause, not before it.
	WriteAfter bool
	// OperationID: the refund carries the id of the operation, not a new one for each call.
	OperationID bool
}

// named is a form with its name.
type named struct {
	name   string
	form   Form
	doc    string
	mended string
}

func forms() []named {
	return []named{
		{Name, Form{OperationID: true}, "a node that refunds under the operation id, then pauses", ""},
		{NewID, Form{}, "a node that refunds under a new id, then pauses", Name},
		{WriteAfter, Form{WriteAfter: true, OperationID: true}, "a node that pauses, then refunds under the operation id", ""},
		{WriteAfterNew, Form{WriteAfter: true}, "a node that pauses, then refunds under a new id", WriteAfter},
	}
}

// Scenarios returns the node in its forms, the mended one first.
func Scenarios() []scenarios.Scenario {
	var all []scenarios.Scenario
	for _, n := range forms() {
		all = append(all, n.scenario())
	}
	return all
}

func (n named) scenario() scenarios.Scenario {
	s := scenarios.Scenario{Name: n.name, Doc: n.doc, Source: "lesson \"Side effects and retries\", the same pause in LangGraph",
		Setting:  scenarios.Setting{Scenario: n.name},
		Simulate: func(scenarios.Setting) (explorer.World, error) { return n.program().Simulated(), nil },
		Program:  func(scenarios.Setting) (scenarios.Program, error) { return n.program().Process(), nil },
		Settings: func(scenarios.Setting) (check.Settings, error) { return n.form.settings(), nil },
		Tasks:    map[string]scenarios.Task{Name: run},
		Sites:    sites,
	}
	if n.mended != "" {
		s.Broken, s.Expect, s.Mended = true, "double-write", n.mended
	}
	return s
}

func (n named) program() *scenarios.Small {
	f := n.form
	return &scenarios.Small{Task: Name, Form: n.name, Live: f.live, Canonical: f.canonical, Outcome: f.outcome, Accepts: f.accepts,
		World: func(t scenarios.Texts, now func() time.Time) scenarios.Service { return payment{t, now} }}
}

// settings say that only an operation id is a key. A write before the pause has no approval that could
// cover it, so only the other forms are asked for one.
func (f Form) settings() check.Settings {
	s := check.Settings{SendsKey: f.OperationID, Keys: true}
	if !f.WriteAfter {
		s.Only = slices.DeleteFunc(check.Names(), func(name string) bool { return name == "unapproved-write" })
	}
	return s
}

// accepts: the one request can be lost, unanswered, turned away or late.
func (f Form) accepts(site faults.Site, verb faults.Verb) bool {
	if site != refundSite {
		return false
	}
	switch verb {
	case faults.LoseRequest, faults.LoseResponse, faults.Unavailable, faults.DeliverLate:
		return true
	}
	return false
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
	{Seam: "checkpoint", Operation: "load"}:        false,
	{Seam: "checkpoint", Operation: "save"}:        false,
	{Seam: "node", Operation: "run"}:               false,
	{Seam: "node", Operation: "pause"}:             false,
	{Seam: "payment", Operation: "request_refund"}: true,
}
