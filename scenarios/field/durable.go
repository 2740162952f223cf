package field

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
)

// durable is what survives a life.
type durable struct {
	world
	report  *report
	horizon time.Duration
}

// horizon is the longest age that can change what a program or the provider does.
func (m *machine) horizon() time.Duration {
	can := m.engine.Profile.Capabilities()
	return max(can.MaxDelay, can.KeyTTL, 48*time.Hour)
}

// Canonical implements scenarios.Durable: rows in order of their names, moments as ages up to the
// horizon. What requests without a key are called, and how many arrived, decides nothing.
func (d *durable) Canonical(now time.Time) string {
	age := func(at time.Time) time.Duration {
		if at.IsZero() {
			return -1
		}
		return min(now.Sub(at), d.horizon)
	}
	var lines []string
	for _, r := range d.rows {
		at := age(r.At)
		r.At = time.Time{}
		lines = append(lines, fmt.Sprintf("row %+v %s", r, at))
	}
	for _, c := range d.coming {
		lines = append(lines, "coming "+c)
	}
	sort.Strings(lines)
	var b strings.Builder
	fmt.Fprintf(&b, "issued %d\n%s\n", d.issued, strings.Join(lines, "\n"))
	for _, e := range d.provider.Ledger {
		fmt.Fprintf(&b, "effect %s %s %s %+v %s %s %s\n", e.Key, e.Caller, e.Tool, e.Payload, age(e.At), e.Lag, age(e.ReversedAt))
	}
	for _, k := range d.provider.Keys {
		fmt.Fprintf(&b, "key %s %s %+v %t %s %s %d %s\n", k.Key, k.Tool, k.Payload, k.Open, age(k.FirstAt), age(k.DoneAt), k.Answer.Status, k.Answer.Record)
	}
	return b.String()
}

// Outcome implements scenarios.Durable.
func (d *durable) Outcome(now time.Time) *check.Outcome {
	o := &check.Outcome{NoTrail: true, Captured: d.report.captured, Received: map[string]int{}}
	for _, r := range d.provider.Received {
		o.Received[r.Payload.Intent] += r.Count
	}
	for _, e := range d.provider.Ledger {
		line := history.Effect{Seq: e.Seq, Tool: e.Tool, Ticket: e.Caller, Intent: e.Payload.Intent, OperationID: e.Operation, RecordID: e.Record,
			Subject: e.Payload.Subject, Reason: e.Payload.Reason, AmountCents: e.Payload.AmountCents, Payload: e.Tool + " " + e.Payload.text(),
			Reversed: !e.Stands(now), At: e.At}
		if line.AmountCents > 0 {
			line.Currency = "CAD"
		}
		o.Ledger = append(o.Ledger, line)
	}
	for _, r := range d.rows {
		if r.Table == jobs {
			o.Runs = append(o.Runs, *d.saved(d.report, r.ID))
		}
	}
	return o
}
