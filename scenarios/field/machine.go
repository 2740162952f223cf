package field

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// machine is the program of one report with the world around it. It holds nothing of a life: a second
// one may run on it while the first stands still.
type machine struct {
	*report
	broken bool
	clock  *scenarios.Clock
	engine provider.Engine[change]
	// latest is the latest snapshot.
	latest *durable
	world
}

// world is everything durable. Whoever changes a slice makes a new one, so a copy of the struct is a
// snapshot, and two that share their slices are equal.
type world struct {
	rows     []row
	issued   int
	provider provider.State[change]
	// coming is what the world did and no life has met yet.
	coming []string
}

func newMachine(r *report, profile provider.Profile, broken bool, clock *scenarios.Clock) *machine {
	m := &machine{report: r, broken: broken, clock: clock}
	m.engine = provider.Engine[change]{Profile: profile, Now: clock.Now}
	m.rows = append(m.rows, jobRow(r.jobs[0].run))
	m.rows = append(m.rows, r.first...)
	return m
}

// jobRow is a job that nobody has taken yet.
func jobRow(run string) row { return row{Table: jobs, ID: run, Run: run, State: "approved"} }

// Snapshot implements scenarios.Machine. Where nothing has changed since the latest one, that one is
// returned: most points change nothing.
func (m *machine) Snapshot() scenarios.Durable {
	if m.latest == nil || !same(&m.latest.world, &m.world) {
		m.latest = &durable{world: m.world, report: m.report, horizon: m.horizon()}
	}
	return m.latest
}

// same reports whether two worlds are one: they share their slices.
func same(a, b *world) bool {
	return a.issued == b.issued && a.provider.Requests == b.provider.Requests &&
		oneSlice(a.rows, b.rows) && oneSlice(a.coming, b.coming) && oneSlice(a.provider.Keys, b.provider.Keys) &&
		oneSlice(a.provider.Ledger, b.provider.Ledger) && oneSlice(a.provider.Received, b.provider.Received)
}

func oneSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// Restore implements scenarios.Machine.
func (m *machine) Restore(d scenarios.Durable) {
	m.latest = d.(*durable)
	m.world = m.latest.world
}

// Live implements scenarios.Machine.
func (m *machine) Live(ctx context.Context, seat *seams.Seat, _ int) (history.End, error) {
	return m.live(&proc{machine: m, ctx: ctx, seat: seat})
}

// Deliver implements scenarios.Machine: nobody waits for the answer.
func (m *machine) Deliver(_ context.Context, _ faults.Site, payload any) error {
	_, err := m.engine.Do(&m.provider, payload.(provider.Request[change]), m.apply)
	return err
}

// Happen implements scenarios.Machine.
func (m *machine) Happen(_ context.Context, name string) error {
	event, ok := m.events[name]
	if !ok {
		known := make([]string, 0, len(m.events))
		for n := range m.events {
			known = append(known, n)
		}
		sort.Strings(known)
		return &scenarios.UnknownError{Kind: "world event", Name: name, Nearest: faults.Nearest(name, known), Known: known}
	}
	if !slices.Contains(m.coming, name) {
		m.coming = append(slices.Clip(m.coming), name)
	}
	if event == nil {
		return nil
	}
	return event(m)
}

// met reports whether the world did something since the last life that asked.
func (m *machine) met(name string) bool {
	i := slices.Index(m.coming, name)
	if i < 0 {
		return false
	}
	m.coming = slices.Delete(slices.Clone(m.coming), i, i+1)
	return true
}

// Accepts implements scenarios.Machine. Only what passes to another process can be lost on the way.
func (m *machine) Accepts(site faults.Site, verb faults.Verb) bool {
	write := site.Seam == "provider" && site.Operation != "lookup"
	far := site.Seam == "provider" || m.remote
	switch verb {
	case faults.LoseRequest, faults.LoseResponse:
		return far
	case faults.DeliverLate, faults.Unavailable, faults.Refuse:
		return write
	case faults.Lag:
		return site.Seam == "provider"
	case faults.Pause:
		return true
	}
	return false
}

// apply makes one change in the provider's transaction.
func (m *machine) apply(e effect) (string, error) {
	if m.rule != nil {
		if err := m.rule(m, e); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s-%d", strings.ToUpper(e.Tool[:2]), e.Seq), nil
}

// saved is what the program has on record about a run: the job's row, and the latest row of each intent.
func (w *world) saved(r *report, run string) *history.Saved {
	s := &history.Saved{Run: run}
	for _, j := range r.jobs {
		if j.run == run {
			s.Approved, s.Approval = j.intents, "approval of "+run
		}
	}
	for _, row := range w.rows {
		switch {
		case row.Run != run:
		case row.Table == jobs:
			s.Status = row.State
		case row.Table == r.operations:
			op := history.Operation{ID: row.Intent, Status: row.State, RecordID: row.Record}
			if r.maxCalls > 0 { // elsewhere a count counts other things
				op.Attempts = row.Count
			}
			if i := slices.IndexFunc(s.Operations, func(o history.Operation) bool { return o.ID == op.ID }); i >= 0 {
				s.Operations[i] = op
			} else {
				s.Operations = append(s.Operations, op)
			}
		}
	}
	return s
}
