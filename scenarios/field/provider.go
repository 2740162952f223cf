package field

import (
	"fmt"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// change is the body of a request. A provider that compares bodies compares all of it.
type change struct {
	// Intent is the caller's own reference, which the provider stores and shows.
	Intent      string
	Subject     string
	AmountCents int64
	Reason      string
	// Stamp is whatever else is in the body.
	Stamp string
	// Fence is the caller's fencing token, 0 for none.
	Fence int
}

type effect = provider.Effect[change]

func changeOf(i history.Intent) change {
	return change{Intent: i.ID, Subject: i.Subject, AmountCents: i.AmountCents, Reason: i.Reason}
}

func (c change) text() string {
	text := fmt.Sprintf("%s %d %s", c.Subject, c.AmountCents, c.Reason)
	if c.Stamp != "" {
		text += " " + c.Stamp
	}
	return text
}

// request is one write request to the provider.
type request struct {
	tool, key string
	body      change
	// caller is who sends it, where several executions share a key.
	caller string
	// undoes is the change that it takes back, owner the one that the caller may take back.
	undoes, owner string
}

// answer is what a program learns of its request.
type answer struct {
	// kind is one of the answers of history: applied, refused, no-answer and so on.
	kind     string
	code     string
	record   string
	repeated bool
}

func (a answer) applied() bool { return a.kind == history.Applied }
func (a answer) refused() bool { return a.kind == history.Refused }

// err is the exception that an answer is to a program which does not look closer.
func (a answer) err() error { return fmt.Errorf("the provider's answer: %s %s", a.kind, a.code) }

// outgoing is a request as it leaves.
func outgoing(q request) provider.Request[change] {
	return provider.Request[change]{Key: q.key, Tool: q.tool, Caller: q.caller, Payload: q.body}
}

// send makes one write request.
func (p *proc) send(q request) answer {
	out := outgoing(q)
	what := q.tool + " " + q.body.text()
	var a answer
	r := p.through(call{
		site: faults.Site{Seam: "provider", Operation: q.tool}, remote: true, late: out, what: what,
		request: &history.Request{Intent: q.body.Intent, Key: q.key, Write: true, What: what, Payload: what, Undoes: q.undoes, Owner: q.owner},
		do: func(k provider.Knobs) result {
			if p.trouble != nil && k.Trouble == provider.NoTrouble {
				k.Trouble = p.trouble(p.machine)
			}
			out.Knobs = k
			got, err := p.engine.Do(&p.provider, out, p.apply)
			if err != nil {
				return result{answer: history.Errored, err: err}
			}
			a = p.read(got)
			return result{answer: a.kind, record: a.record, repeated: a.repeated}
		},
	})
	if r.err != nil {
		return answer{kind: r.answer}
	}
	return a
}

// read says what an answer of the engine means.
func (p *proc) read(got provider.Answer) answer {
	a := answer{code: got.Code, record: got.Record, repeated: got.Repeated}
	switch got.Status {
	case 200:
		a.kind = history.Applied
	case 400, 422:
		a.kind = history.Refused
	case 409:
		a.kind = history.InFlight
	case 503:
		a.kind = history.Unavailable
		if p.engine.Profile.UnavailableIsSafe {
			a.kind = history.UnavailableSafe
		}
	default:
		a.kind = history.Errored
	}
	return a
}

// finding is what a look-up says of a change.
type finding struct {
	// kind is found, not-found once the provider must know of it, or anything else: nobody knows.
	kind   string
	record string
	// foreign: the subject has a change, and it is somebody else's.
	foreign bool
}

func (f finding) found() bool  { return f.kind == history.Found }
func (f finding) absent() bool { return f.kind == history.NotFound }

// err is the exception of a program that has to know and does not.
func (f finding) err() error { return fmt.Errorf("the look-up's answer: %s", f.kind) }

// ask looks for a change of ours among the provider's recent ones. The last request for it left not
// after since; "not found" is an answer only once the longest delay has passed from there, and never
// when since is zero.
func (p *proc) ask(tool string, c change, since time.Time) finding {
	var f finding
	r := p.through(call{
		site: faults.Site{Seam: "provider", Operation: "lookup"}, remote: true, what: "is there a " + tool + " " + c.text() + "?",
		request: &history.Request{Intent: c.Intent, Ask: true, What: c.Intent},
		do: func(k provider.Knobs) result {
			shown, err := p.engine.Recent(&p.provider, k)
			if err != nil { // a service that can't be asked says nothing
				f.kind = history.Answered
				return result{answer: f.kind}
			}
			settled := !since.IsZero() && k.Lag == 0 && p.now().Sub(since) >= p.engine.Profile.Capabilities().MaxDelay
			f = among(shown, tool, c, settled)
			return result{answer: f.kind, record: f.record}
		},
	})
	if r.err != nil {
		return finding{kind: r.answer}
	}
	return f
}

func among(shown []effect, tool string, c change, settled bool) finding {
	f := finding{kind: history.Answered}
	if settled {
		f.kind = history.NotFound
	}
	for _, e := range shown {
		switch {
		case e.Tool != tool || e.Payload.Subject != c.Subject:
		case e.Payload.Intent == c.Intent:
			return finding{kind: history.Found, record: e.Record}
		default:
			f.foreign = true
		}
	}
	return f
}

// settle waits until a look-up can tell, then asks.
func (p *proc) settle(tool string, c change, since time.Time) (finding, error) {
	if err := p.wait(since.Add(p.engine.Profile.Capabilities().MaxDelay)); err != nil {
		return finding{}, err
	}
	return p.ask(tool, c, since), nil
}
