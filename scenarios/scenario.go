package scenarios

import (
	"context"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Scenario is something to run, by its name.
type Scenario struct {
	Name string
	// Doc says in one line what it is; Source is the lesson or report it comes from.
	Doc    string
	Source string
	// Broken is true for a form that is expected to fail; check leaves it out. Expect names the invariant
	// that must catch it, and Mended the form that must pass.
	Broken bool
	Expect string
	Mended string
	// Ticket and Strategy say that these settings mean something to it.
	Ticket   bool
	Strategy bool
	// Setting is what it runs with where nothing else is asked for.
	Setting Setting
	// Faults are the faults beside kills that it is about, as an event without its point.
	Faults []string

	// Sites are the operations of its seams; true where the other side is another process. Nil: not listed.
	Sites map[faults.Site]bool

	// Simulate returns its world in memory.
	Simulate func(Setting) (explorer.World, error)
	// Program returns it as processes; nil where it has no such form.
	Program func(Setting) (Program, error)
	// Settings returns what the judge has to know.
	Settings func(Setting) (check.Settings, error)
	// Tasks are the mains of its children, by the name of their task.
	Tasks map[string]Task
}

// Task is the main of a child process.
type Task func(context.Context, *child.Seat) (history.End, error)

// RefundScenario returns the main scenario.
func RefundScenario() Scenario {
	return Scenario{
		Name: Refund, Doc: "a ticket from its first model call to its end, the approval given by rule",
		Source: "lessons \"Checkpoint and resume\", \"Side effects and retries\"",
		Ticket: true, Strategy: true, Setting: Setting{Scenario: Refund}.WithDefaults(),
		Simulate: func(s Setting) (explorer.World, error) {
			r, err := newRefund(s.WithDefaults())
			if err != nil {
				return nil, err
			}
			return simulateRefund(r), nil
		},
		Program: func(s Setting) (Program, error) {
			r, err := newRefund(s.WithDefaults())
			return refundProcess{r, Refund}, err
		},
		Sites:    refundSites,
		Settings: refundSettings,
		Tasks:    map[string]Task{Refund: refundChild},
	}
}
