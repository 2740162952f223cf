package provider_test

import (
	"fmt"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
)

// bench is one service under test: a register, an engine and a clock that the test moves.
type bench struct {
	state  provider.State[string]
	engine provider.Engine[string]
	now    time.Time
	no     bool // the rules refuse
}

func newBench(p provider.Profile) *bench {
	b := &bench{now: time.Date(2026, 10, 9, 21, 0, 0, 0, time.UTC)}
	b.engine = provider.Engine[string]{Profile: p, Now: func() time.Time { return b.now }}
	return b
}

func (b *bench) apply(e provider.Effect[string]) (string, error) {
	if b.no {
		return "", &provider.Refusal{Code: "rule", Message: "the rules say no"}
	}
	return fmt.Sprintf("R%d", e.Seq), nil
}

func (b *bench) send(payload string, t provider.Trouble) provider.Answer {
	return b.do(provider.Request[string]{Key: "k", Tool: "pay", Payload: payload, Knobs: provider.Knobs{Trouble: t}})
}

func (b *bench) do(r provider.Request[string]) provider.Answer {
	a, err := b.engine.Do(&b.state, r, b.apply)
	if err != nil {
		return provider.Answer{Status: -1, Message: err.Error()}
	}
	return a
}

// tell is an answer and what the ledger holds by then.
func (b *bench) tell(a provider.Answer) string {
	text := fmt.Sprint(a.Status)
	if a.Code != "" {
		text += " " + a.Code
	}
	if a.Record != "" {
		text += " " + a.Record
	}
	for _, flag := range []struct {
		on   bool
		text string
	}{{a.Repeated, " repeated"}, {a.Reversed, " reversed"}, {a.Transient, " transient"}} {
		if flag.on {
			text += flag.text
		}
	}
	return fmt.Sprintf("%s; %d made", text, len(b.state.Ledger))
}

// after tells how a repeat is answered whose first request ran into trouble.
func after(p provider.Profile, t provider.Trouble) string {
	b := newBench(p)
	first := b.tell(b.send("10.00", t))
	return first + " | " + b.tell(b.send("10.00", provider.NoTrouble))
}

// probes are the questions that tell profiles apart, in the order of the table they stand for.
var probes = []struct {
	name string
	ask  func(provider.Profile) string
}{
	{"repeat", func(p provider.Profile) string { return after(p, provider.NoTrouble) }},
	{"answer lost", func(p provider.Profile) string { return after(p, provider.LoseAfter) }},
	{"request lost", func(p provider.Profile) string { return after(p, provider.LoseBefore) }},
	{"500 before", func(p provider.Profile) string { return after(p, provider.ErrorBefore) }},
	{"500 after", func(p provider.Profile) string { return after(p, provider.ErrorAfter) }},
	{"503 before", func(p provider.Profile) string { return after(p, provider.UnavailableBefore) }},
	{"503 after", func(p provider.Profile) string { return after(p, provider.UnavailableAfter) }},
	{"refused, then mended", askRefused},
	{"refused, then another", func(p provider.Profile) string {
		b := newBench(p)
		b.send("10.00", provider.Refuse)
		return b.tell(b.send("99.00", provider.NoTrouble))
	}},
	{"failed later", func(p provider.Profile) string { return after(p, provider.FailLater) }},
	{"other payload", func(p provider.Profile) string {
		b := newBench(p)
		b.send("10.00", provider.NoTrouble)
		return b.tell(b.send("99.00", provider.NoTrouble))
	}},
	{"in flight", askInFlight},
	{"orphaned claim", askOrphan},
	{"key forgotten", askTTL},
	{"other scope", func(p provider.Profile) string {
		b := newBench(p)
		b.do(provider.Request[string]{Key: "k", Scope: "east", Tool: "pay", Payload: "10.00"})
		return b.tell(b.do(provider.Request[string]{Key: "k", Scope: "west", Tool: "pay", Payload: "10.00"}))
	}},
	{"look-up", askLookup},
	{"cancel", askCancel},
	{"declares", func(p provider.Profile) string { return fmt.Sprintf("%+v", p.Capabilities()) }},
}

func askRefused(p provider.Profile) string {
	b := newBench(p)
	b.no = true
	first := b.tell(b.send("10.00", provider.NoTrouble))
	b.no = false
	return first + " | " + b.tell(b.send("10.00", provider.NoTrouble))
}

func askInFlight(p provider.Profile) string {
	b := newBench(p)
	claim, _, _ := b.engine.Begin(&b.state, provider.Request[string]{Key: "k", Tool: "pay", Payload: "10.00"})
	second := b.tell(b.send("10.00", provider.NoTrouble))
	late, err := b.engine.Finish(&b.state, claim, b.apply)
	if err != nil {
		return err.Error()
	}
	return second + " | " + b.tell(late)
}

func askOrphan(p provider.Profile) string {
	b := newBench(p)
	b.engine.Begin(&b.state, provider.Request[string]{Key: "k", Tool: "pay", Payload: "10.00"})
	b.now = b.now.Add(provider.OrphanAfter - 1)
	text := b.tell(b.send("10.00", provider.NoTrouble))
	b.now = b.now.Add(1)
	return text + " | " + b.tell(b.send("10.00", provider.NoTrouble))
}

// askTTL looks for the age, from the first use, at which the key is a new request's. The request took a
// minute, so an age counted from its completion is a minute longer.
func askTTL(p provider.Profile) string {
	const day = 24 * time.Hour
	for _, ttl := range []time.Duration{time.Minute, 10 * time.Minute, 30 * time.Minute, day, 7 * day, 30 * day, 45 * day, 365 * day} {
		for _, age := range []time.Duration{ttl - 1, ttl, ttl + time.Minute - 1, ttl + time.Minute} {
			b := newBench(p)
			start := b.now
			claim, _, _ := b.engine.Begin(&b.state, provider.Request[string]{Key: "k", Tool: "pay", Payload: "10.00"})
			b.now = start.Add(time.Minute)
			b.engine.Finish(&b.state, claim, b.apply)
			b.now = start.Add(age)
			if a := b.send("10.00", provider.NoTrouble); a.OK() && !a.Repeated {
				return "at " + age.String()
			}
		}
	}
	return "never"
}

func askLookup(p provider.Profile) string {
	b := newBench(p)
	b.send("10.00", provider.NoTrouble)
	var text string
	made := b.now
	for _, age := range []time.Duration{0, 5*time.Second - 1, 5 * time.Second} {
		b.now = made.Add(age)
		_, found, err := b.engine.Find(&b.state, "k", provider.Knobs{})
		if err != nil {
			return err.Error()
		}
		text += fmt.Sprintf("%v ", found)
	}
	return text
}

func askCancel(p provider.Profile) string {
	b := newBench(p)
	n, err := b.engine.Cancel(&b.state, "k")
	if err != nil {
		return err.Error()
	}
	late := b.tell(b.send("10.00", provider.NoTrouble))
	m, _ := b.engine.Cancel(&b.state, "k")
	return fmt.Sprintf("of nothing %d | late original %s | of it %d, stands %v", n, late, m, b.state.Ledger[0].Stands(b.now))
}
