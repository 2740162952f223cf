package scenarios

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// refundDurable is what survives a life of the refund program: the runs and the practice services.
type refundDurable struct {
	runs     *checkpoint.Image
	services *services.Image
	refund   *refund
}

// Canonical leaves out what no program may decide by: events, stamps, versions, tokens, leases of dead
// processes, the texts of the trail. Ages count only while something still looks at them, up to the
// longest time that matters. Records are named by their place in the ledger, since a keyless request's
// number says only how many came before it.
func (d *refundDurable) Canonical(now time.Time) string { return d.CanonicalWithin(now, 0) }

// CanonicalWithin is Canonical where a look-up may lag more than the service says.
func (d *refundDurable) CanonicalWithin(now time.Time, lag time.Duration) string {
	world := d.refund.known.services(d.services, now, d.horizon()+lag)
	c := &canonical{now: now, most: d.horizon() + lag, records: world.records}
	c.Grow(1<<10 + 256*len(d.services.Keys))
	c.WriteString(world.digest)
	for _, row := range d.runs.Rows {
		c.row(row, d.refund.known)
	}
	fmt.Fprintf(c, "trail %x", d.refund.known.trail(d.runs.Trail))
	return c.String()
}

// horizon is the longest age that can change what a service answers, or what the executor makes of it.
func (d *refundDurable) horizon() time.Duration {
	can := d.refund.profile.Capabilities()
	return max(can.MaxDelay, can.KeyTTL)
}

// readWorld returns the identity of what the services hold, and the names of their records.
func readWorld(i *services.Image, now time.Time, most time.Duration) world {
	c := &canonical{now: now, most: most, records: make(map[string]string, len(i.Ledger))}
	c.Grow(1<<10 + 256*(len(i.Ledger)+len(i.Keys)))
	c.services(i)
	digest := sha256.Sum256([]byte(c.String()))
	return world{string(digest[:]), c.records}
}

type canonical struct {
	strings.Builder
	now     time.Time
	most    time.Duration
	records map[string]string
}

// age is how long ago something was, as far as it matters.
func (c *canonical) age(at time.Time) time.Duration {
	if at.IsZero() {
		return -1
	}
	return min(c.now.Sub(at), c.most)
}

func (c *canonical) agePointer(at *time.Time) time.Duration {
	if at == nil {
		return -1
	}
	return c.age(*at)
}

func (c *canonical) services(i *services.Image) {
	for n, e := range i.Ledger {
		operation := e.Operation
		if e.Key == "" {
			operation = "request"
		}
		c.records[e.Record] = "record-" + strconv.Itoa(n)
		c.WriteString("effect " + operation + " " + e.Caller + " " + e.Tool)
		c.action(e.Payload)
		c.ages(c.age(e.At), e.Lag, c.age(e.ReversedAt))
	}
	for _, k := range i.Keys {
		c.WriteString("key " + k.Key + " " + k.Tool + " " + k.Answer.Code + " " + c.record(k.Answer.Record))
		c.action(k.Payload)
		c.ages(c.age(k.FirstAt), c.age(k.DoneAt), time.Duration(k.Answer.Status))
		if k.Open {
			c.WriteString("open\n")
		}
	}
	for _, p := range i.Payments {
		fmt.Fprintf(c, "payment %s %s\n", p.PaymentID, p.Status)
	}
	for _, s := range i.Stock {
		fmt.Fprintf(c, "stock %s %d\n", s.SKU, s.Stock)
	}
	for _, n := range i.Notes {
		fmt.Fprintf(c, "note %s %s\n", n.TicketID, n.ID)
	}
	for _, f := range i.FaultsUsed {
		fmt.Fprintf(c, "fault %s %s %d\n", f.Run, f.Fault, f.Count)
	}
}

// action writes what an action asks for, as far as it tells actions apart.
func (c *canonical) action(a resolver.Action) {
	for _, text := range [...]string{string(a.Tool), a.OrderID, a.SKU, strconv.Itoa(a.Quantity), strconv.FormatInt(a.AmountCents, 10), a.ReasonCode, a.PaymentID, a.Reason} {
		c.WriteString(" " + text)
	}
}

func (c *canonical) ages(ages ...time.Duration) {
	for _, d := range ages {
		c.WriteString(" " + strconv.FormatInt(int64(d), 10))
	}
	c.WriteByte('\n')
}

func (c *canonical) record(id string) string {
	if name, ok := c.records[id]; ok {
		return name
	}
	return id
}

func (c *canonical) row(row *checkpoint.Row, known *canonicalTexts) {
	s, err := row.State()
	if err != nil {
		fmt.Fprintf(c, "run %s unreadable %s\n", row.RunID, row.Text())
		return
	}
	c.WriteString(known.run(s))
	for _, op := range s.Operations {
		c.WriteString("operation " + op.ID + " " + string(op.Status) + " " + c.record(op.RecordID) + " " + op.Error)
		if op.Status != resolver.OperationDone {
			c.WriteString(" " + strconv.Itoa(op.Attempts)) // the judge asks whether a person was called too early
		}
		if op.Status == resolver.OperationPending {
			c.ages(c.agePointer(op.FirstCallAt), c.agePointer(op.LastCallAt))
		}
		c.WriteByte('\n')
	}
}

// Outcome reads the ledger and the runs for the judge.
func (d *refundDurable) Outcome(now time.Time) *check.Outcome {
	o := &check.Outcome{Ledger: effects(d.services.Ledger, now), Captured: map[string]int64{}, Refunded: map[string]int64{}, Received: map[string]int{}, Notes: map[string]int{}}
	captured(o)
	for _, r := range d.services.Received {
		o.Received[seams.Intent(r.Caller, r.Payload).ID] += r.Count
	}
	for _, n := range d.services.Notes {
		if run, _, ok := strings.Cut(strings.TrimPrefix(n.Text, "run "), ":"); ok {
			o.Notes[run]++
		}
	}
	for _, row := range d.runs.Rows {
		s, err := row.State()
		if err != nil {
			o.Runs = append(o.Runs, history.Saved{Run: row.RunID, Status: "unreadable"})
			continue
		}
		o.Runs = append(o.Runs, *seams.Saved(s))
	}
	for _, e := range d.runs.Trail {
		o.Trail = append(o.Trail, check.TrailEntry{Run: e.RunID, What: e.What, OperationID: e.OperationID})
	}
	if err := checkpoint.VerifyTrail(d.runs.Trail); err != nil {
		o.TrailBroken = err.Error()
	}
	return o
}

// effects returns the ledger as the judge knows it.
func effects(ledger []services.Effect, now time.Time) []history.Effect {
	var out []history.Effect
	for _, e := range ledger {
		intent := seams.Intent(e.Caller, e.Payload)
		effect := history.Effect{Seq: e.Seq, Tool: e.Tool, Ticket: e.Caller, Intent: intent.ID, OperationID: e.Operation, RecordID: e.Record,
			Subject: e.Payload.OrderID, Reason: e.Payload.ReasonCode, Payload: intent.Payload, AmountCents: e.Payload.AmountCents,
			Reversed: !e.Stands(now), At: e.At}
		if effect.AmountCents > 0 {
			effect.Currency = resolver.Currency
		}
		out = append(out, effect)
	}
	return out
}

// captured adds what was paid for each order of the ledger, and paid back before the course's day.
func captured(o *check.Outcome) {
	touched := map[string]bool{}
	for _, e := range o.Ledger {
		touched[e.Subject] = true
	}
	for _, p := range larkfield.Dataset().Payments {
		if touched[p.OrderID] && p.Kind == "charge" && p.Status != "released" {
			o.Captured[p.OrderID] += p.AmountCents
		}
	}
	for _, r := range larkfield.Dataset().Refunds {
		if touched[r.OrderID] {
			o.Refunded[r.OrderID] += r.AmountCents
		}
	}
}
