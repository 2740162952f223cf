package transfer

import (
	"context"
	"encoding/json"
	"fmt"
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
	Name           = "transfer"
	CheckFailsName = "transfer/check-fails"
	MarkFirstName  = "transfer/mark-first"
	MarkLastName   = "transfer/mark-last"
)

// Form says how the program is written and what bank it meets.
type Form struct {
	Mark Mark
	// LosesCredits: the bank debits, does not credit, and says that all is well.
	LosesCredits bool
	// alerter takes the alerts; nil means the one outside, past its points.
	alerter Alerter
	planted Planting
}

// named is a form with its name.
type named struct {
	name   string
	form   Form
	doc    string
	expect string
}

func forms() []named {
	return []named{
		{Name, Form{}, "a transfer with a key, its precondition asked again, a check and a rollback", ""},
		{CheckFailsName, Form{LosesCredits: true}, "the same at a bank that debits without crediting: rolled back, and a person alerted", ""},
		{MarkFirstName, Form{Mark: MarkFirst}, "a transfer whose status is written before the action", "lost-write"},
		{MarkLastName, Form{Mark: MarkLast}, "a transfer whose status is written after the action", "double-write"},
	}
}

// Scenarios returns the program in its forms, the mended one first.
func Scenarios() []scenarios.Scenario {
	var all []scenarios.Scenario
	for _, n := range forms() {
		all = append(all, n.scenario())
	}
	return all
}

func (n named) scenario() scenarios.Scenario {
	s := scenarios.Scenario{Name: n.name, Doc: n.doc, Source: "lesson \"Checkpoints and rollback\"",
		Setting:  scenarios.Setting{Scenario: n.name},
		Simulate: func(scenarios.Setting) (explorer.World, error) { return n.program().Simulated(), nil },
		Program:  func(scenarios.Setting) (scenarios.Program, error) { return n.program().Process(), nil },
		Settings: func(scenarios.Setting) (check.Settings, error) { return n.form.settings(), nil },
		Tasks:    map[string]scenarios.Task{Name: run},
		Sites:    sites,
	}
	if n.expect != "" {
		s.Broken, s.Expect, s.Mended = true, n.expect, Name
	}
	return s
}

func (n named) program() *scenarios.Small {
	f := n.form
	books := firstBooks()
	books.LosesCredits = f.LosesCredits
	text, err := json.Marshal(books)
	if err != nil {
		panic(err) // numbers and names have a JSON form
	}
	return &scenarios.Small{Task: Name, Form: n.name, First: map[string]string{BankFile: string(text)},
		Live: f.live, Canonical: f.canonical, Outcome: f.outcome, Accepts: f.accepts,
		World: f.world}
}

func (f Form) world(t scenarios.Texts, now func() time.Time) scenarios.Service {
	d := desk{t, now}
	if f.planted.Bank != nil {
		return swappedBank{f.planted.Bank(d, t), d}
	}
	return d
}

// settings: only the mended form sends a key, asks and bounds its calls.
func (f Form) settings() check.Settings {
	if f.Mark != MarkChecked {
		return check.Settings{Keys: true, Lookup: true}
	}
	return check.Settings{SendsKey: true, Keys: true, Lookup: true, MaxCalls: scenarios.MaxCalls}
}

// accepts: any call outside can be lost or unanswered, and a write refused or turned away. A worker can
// stand still where another could go on in its place.
func (f Form) accepts(site faults.Site, verb faults.Verb) bool {
	write := site == bankSite("transfer") || site == bankSite("reverse")
	switch verb {
	case faults.LoseRequest, faults.LoseResponse:
		return site.Seam == "bank" || site.Seam == "alert"
	case faults.Unavailable, faults.Refuse:
		return write
	case faults.Pause:
		return site.Seam == "checkpoint" || site.Seam == "lease" || site.Seam == "bank"
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
	{Seam: "alert", Operation: "raise"}:     true,
	{Seam: "bank", Operation: "accounts"}:   true,
	{Seam: "bank", Operation: "operation"}:  true,
	{Seam: "bank", Operation: "read_back"}:  true,
	{Seam: "bank", Operation: "reverse"}:    true,
	{Seam: "bank", Operation: "transfer"}:   true,
	{Seam: "checkpoint", Operation: "load"}: false,
	{Seam: "checkpoint", Operation: "save"}: false,
	{Seam: "lease", Operation: "acquire"}:   false,
	{Seam: "lease", Operation: "release"}:   false,
}
