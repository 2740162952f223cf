package scenarios

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"sync"
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
	known, most := d.refund.known, d.horizon()+lag
	return digested(canonical{now: now, most: most, ledger: d.services.Ledger}, func(c *canonical) {
		c.WriteString(known.services(d.services, now, most))
		for _, row := range d.runs.Rows {
			c.row(row, known)
		}
		c.WriteString("trail")
		for _, sum := range known.trail(d.runs.Trail) {
			c.numbers(int64(sum))
		}
	})
}

// horizon is the longest age that can change what a service answers, or what the executor makes of it.
func (d *refundDurable) horizon() time.Duration {
	can := d.refund.profile.Capabilities()
	return max(can.MaxDelay, can.KeyTTL)
}

// readWorld returns the identity of what the services hold.
func readWorld(i *services.Image, now time.Time, most time.Duration) string {
	return digested(canonical{now: now, most: most, ledger: i.Ledger}, func(c *canonical) { c.services(i) })
}

// canonical is a text that says what a state is.
type canonical struct {
	*bytes.Buffer
	now    time.Time
	most   time.Duration
	ledger []services.Effect
}

// buffers are used again: a search writes a text at nearly every point of every life.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// digested returns the digest of a text.
func digested(c canonical, write func(*canonical)) string {
	c.Buffer = buffers.Get().(*bytes.Buffer)
	defer buffers.Put(c.Buffer)
	c.Reset()
	write(&c)
	sum := sha256.Sum256(c.Bytes())
	return string(sum[:])
}

// words writes each word after a blank.
func (c *canonical) words(words ...string) {
	for _, w := range words {
		c.WriteByte(' ')
		c.WriteString(w)
	}
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
	for _, e := range i.Ledger {
		operation := e.Operation
		if e.Key == "" {
			operation = "request"
		}
		c.words("effect", operation, e.Caller, e.Tool)
		c.action(e.Payload)
		c.ages(c.age(e.At), e.Lag, c.age(e.ReversedAt))
	}
	for _, k := range i.Keys {
		c.words("key", k.Key, k.Tool, k.Answer.Code)
		c.record(k.Answer.Record)
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
	c.words(string(a.Tool), a.OrderID, a.SKU, a.ReasonCode, a.PaymentID, a.Reason)
	c.numbers(int64(a.Quantity), a.AmountCents)
}

// numbers writes each number after a blank.
func (c *canonical) numbers(numbers ...int64) {
	for _, n := range numbers {
		c.WriteByte(' ')
		c.Write(strconv.AppendInt(c.AvailableBuffer(), n, 10))
	}
}

func (c *canonical) ages(ages ...time.Duration) {
	for _, d := range ages {
		c.numbers(int64(d))
	}
	c.WriteByte('\n')
}

// record writes the place of a record in the ledger, the latest if several have its name, or the name of one
// that isn't there.
func (c *canonical) record(id string) {
	for n := len(c.ledger) - 1; n >= 0; n-- {
		if c.ledger[n].Record == id {
			c.WriteString(" record")
			c.numbers(int64(n))
			return
		}
	}
	c.words(id)
}

func (c *canonical) row(row *checkpoint.Row, known *canonicalTexts) {
	s, err := row.State()
	if err != nil {
		fmt.Fprintf(c, "run %s unreadable %s\n", row.RunID, row.Text())
		return
	}
	c.WriteString(known.run(s))
	for i := range s.Operations {
		op := &s.Operations[i]
		c.words("operation", op.ID, string(op.Status))
		c.record(op.RecordID)
		c.words(op.Error)
		if op.Status != resolver.OperationDone {
			c.numbers(int64(op.Attempts)) // the judge asks whether a person was called too early
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
