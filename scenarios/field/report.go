package field

import (
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/scenarios"
)

// report is one report from the field: a program and the world around it.
type report struct {
	id   string
	doc  string
	link string

	// profile names the provider that the report is about; faults are the faults beside kills.
	profile string
	faults  []string
	// expect is the invariant that the broken form breaks.
	expect string
	// keyless says which form sends no keys: none, the broken one or both.
	keyless keyless
	// maxCalls bounds the calls for one intent, where the program promises a bound.
	maxCalls int
	// without names invariants that the right outcome of this report does not keep.
	without []string

	// jobs is what the program was told to do, each with its approved changes. Those after the first
	// exist only once the world has brought them.
	jobs []job
	// operations is the table whose rows say what the program has on record about an intent.
	operations string
	// first is in the store before the first life, jobs aside.
	first []row
	// remote: the store is another process, so an answer of its can be lost.
	remote bool
	// seams are operations of other processes beside those of the approved changes and the store.
	seams []faults.Site
	// captured holds what was paid, by subject.
	captured map[string]int64

	// rule is the provider's own condition on a change; nil accepts everything.
	rule func(*machine, effect) error
	// trouble is what goes wrong with a request because of what the world did; nil means nothing.
	trouble func(*machine) provider.Trouble
	// events are what the world can do; a nil one is only left for the next life to meet.
	events map[string]func(*machine) error

	live func(*proc) (history.End, error)
}

// job is one thing the program was told to do.
type job struct {
	run     string
	intents []history.Intent
}

type keyless int

const (
	bothSendKeys keyless = iota
	brokenSendsNone
	noneSendsKeys
)

// intent describes one approved change.
func intent(id, tool, subject string, cents int64, reason string) history.Intent {
	i := history.Intent{ID: id, Tool: tool, Subject: subject, AmountCents: cents, Reason: reason}
	i.Payload = tool + " " + changeOf(i).text()
	return i
}

// oneRefund is the job of most reports: a refund of 19.90 on one order.
func oneRefund() []job {
	return []job{{"T-1", []history.Intent{intent("T-1/refund", "refund", "ORD-1", 1990, "damaged")}}}
}

// reports returns every report, in order.
func reports() []report {
	return []report{
		f01(), f02(), f03(), f04(), f05(), f06(), f07(), f08(), f09(),
		f10(), f11(), f12(), f13(), f14(), f15(), f16(), f17(), f18(),
	}
}

// Scenarios returns both forms of every report, the mended one first.
func Scenarios() []scenarios.Scenario {
	var out []scenarios.Scenario
	for _, r := range reports() {
		out = append(out, r.scenario(false), r.scenario(true))
	}
	return out
}

func (r report) scenario(broken bool) scenarios.Scenario {
	name := "field/" + r.id
	s := scenarios.Scenario{Name: name, Doc: r.doc, Source: r.link, Faults: r.faults}
	if broken {
		s.Name, s.Broken, s.Expect, s.Mended = name+"-broken", true, r.expect, name
	}
	s.Sites = r.sites()
	s.Setting = scenarios.Setting{Scenario: s.Name, Provider: r.profile}.WithDefaults()
	s.Simulate = func(set scenarios.Setting) (explorer.World, error) {
		profile, err := r.profileOf(set)
		if err != nil {
			return nil, err
		}
		return scenarios.NewSimulated(func(c *scenarios.Clock) scenarios.Machine {
			return newMachine(&r, profile, broken, c)
		}), nil
	}
	s.Settings = func(set scenarios.Setting) (check.Settings, error) {
		profile, err := r.profileOf(set)
		return r.settings(profile, broken), err
	}
	return s
}

// sites are the operations of the program's seams; true where the other side is another process.
func (r report) sites() map[faults.Site]bool {
	sites := map[faults.Site]bool{{Seam: "provider", Operation: "lookup"}: true}
	for _, operation := range []string{"read", "insert", "update", "delete", "commit"} {
		sites[rowSite(operation)] = r.remote
	}
	for _, site := range r.seams {
		sites[site] = true
	}
	for _, j := range r.jobs {
		for _, i := range j.intents {
			sites[faults.Site{Seam: "provider", Operation: i.Tool}] = true
		}
	}
	return sites
}

func (r report) profileOf(set scenarios.Setting) (provider.Profile, error) {
	name := set.Provider
	if name == "" {
		name = r.profile
	}
	p, err := scenarios.CheckProvider(name)
	if err != nil {
		return p, fmt.Errorf("field/%s: %w", r.id, err)
	}
	return p, nil
}

// settings returns what the judge has to know of one form.
func (r report) settings(profile provider.Profile, broken bool) check.Settings {
	can := profile.Capabilities()
	s := check.Settings{Keys: can.Keys, Lookup: can.Lookup, MaxCalls: r.maxCalls}
	s.SendsKey = r.keyless == bothSendKeys || r.keyless == brokenSendsNone && !broken
	if len(r.without) > 0 {
		for _, name := range check.Names() {
			if !slices.Contains(r.without, name) {
				s.Only = append(s.Only, name)
			}
		}
	}
	return s
}
