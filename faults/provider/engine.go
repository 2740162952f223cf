package provider

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Engine answers write requests as one profile does. Its register is handed to each call, because it
// lives in the transaction of the host.
//
// Concurrency: as safe as the register; the engine itself holds no state.
// Determinism: the same register, request and time give the same answer.
type Engine[P comparable] struct {
	Profile Profile
	Now     func() time.Time
}

// Apply makes the change of one request inside the host's transaction, and returns the id of its
// record. The effect it is given has everything but the record.
//
// Errors: a *Refusal is the host's definite no, and must leave nothing changed; any other error ends
// the call.
type Apply[P comparable] func(Effect[P]) (record string, err error)

// Claim is a request that was taken on and not worked on yet.
type Claim[P comparable] struct {
	Operation string
	Request   Request[P]
}

// Do answers one request from its arrival to its end.
//
// Errors: those of the register and of apply that are no *Refusal, ErrTrouble and ErrSafeUnavailable.
// What the service has to say, bad news too, is in the answer.
func (e *Engine[P]) Do(reg Register[P], r Request[P], apply Apply[P]) (Answer, error) {
	w, answer, err := e.arrive(reg, r)
	if err != nil || answer != nil {
		return settle(answer), err
	}
	return w.execute(apply)
}

// Begin takes a request on without working on it: its key is in flight from here. The answer is there
// at once, and the claim nil, when nothing is left to do.
func (e *Engine[P]) Begin(reg Register[P], r Request[P]) (*Claim[P], Answer, error) {
	w, answer, err := e.arrive(reg, r)
	if err != nil || answer != nil {
		return nil, settle(answer), err
	}
	if w.keyed {
		w.record.Open = true
		if err := reg.PutKey(w.record); err != nil {
			return nil, Answer{}, err
		}
	}
	return &Claim[P]{Operation: w.name, Request: r}, Answer{}, nil
}

// Finish works on a request that Begin took on. When another one under its key came first meanwhile,
// the answer is that one's.
func (e *Engine[P]) Finish(reg Register[P], c *Claim[P], apply Apply[P]) (Answer, error) {
	w := &work[P]{engine: e, reg: reg, request: c.Request, name: c.Operation, now: e.Now()}
	w.keyed = e.Profile.Keys() && c.Request.Key != ""
	if w.keyed {
		record, found, err := reg.Key(e.keyName(c.Request))
		if err != nil {
			return Answer{}, err
		}
		done := found && !record.Open && !e.expired(record, w.now)
		if done && e.Profile.InFlight != InFlightExecutes {
			answer, err := w.repeat(record)
			if err != nil || answer != nil {
				return settle(answer), err
			}
		}
		w.record = record
		if !found {
			w.record = w.fresh()
		}
	}
	return w.execute(apply)
}

// settle unwraps the answer of a path that ended before any work.
func settle(a *Answer) Answer {
	if a == nil {
		return Answer{}
	}
	return *a
}

// work is one request on its way through the engine.
type work[P comparable] struct {
	engine  *Engine[P]
	reg     Register[P]
	request Request[P]
	name    string
	now     time.Time
	keyed   bool
	record  KeyRecord[P]
}

// arrive counts and names a request and looks at its key. It returns an answer when the request needs
// no work.
func (e *Engine[P]) arrive(reg Register[P], r Request[P]) (*work[P], *Answer, error) {
	if err := e.check(r.Knobs); err != nil {
		return nil, nil, err
	}
	w := &work[P]{engine: e, reg: reg, request: r, name: r.Key, now: e.Now()}
	if r.Key == "" {
		n, err := reg.NextRequest()
		if err != nil {
			return nil, nil, err
		}
		w.name = "request-" + strconv.Itoa(n)
	}
	err := reg.Receive(Receipt[P]{Operation: w.name, Caller: r.Caller, Tool: r.Tool, Payload: r.Payload})
	if err != nil {
		return nil, nil, err
	}
	switch r.Knobs.Trouble {
	case LoseBefore:
		return nil, &Answer{Operation: w.name}, nil
	case UnavailableBefore:
		return nil, w.fault(503, "unavailable", "the service is not available"), nil
	}
	answer, err := w.lookAtKey()
	return w, answer, err
}

func (e *Engine[P]) check(k Knobs) error {
	if k.Trouble != NoTrouble && !slices.Contains(Troubles(), k.Trouble) {
		return fmt.Errorf("%w: %q", ErrTrouble, k.Trouble)
	}
	if k.Trouble == UnavailableAfter && e.Profile.UnavailableIsSafe {
		return fmt.Errorf("%s: %w", e.Profile.Name, ErrSafeUnavailable)
	}
	return nil
}

// keyName is the name a key has in the register.
func (e *Engine[P]) keyName(r Request[P]) string {
	if e.Profile.Scoped && r.Scope != "" {
		return r.Scope + "/" + r.Key
	}
	return r.Key
}

func (e *Engine[P]) expired(r KeyRecord[P], now time.Time) bool {
	if e.Profile.KeyTTL == 0 || r.Open {
		return false
	}
	from := r.FirstAt
	if e.Profile.TTLFrom == FromCompletion {
		from = r.DoneAt
	}
	return now.Sub(from) >= e.Profile.KeyTTL
}

// execute makes the change, unless the request's trouble says otherwise, and remembers what the profile
// remembers.
func (w *work[P]) execute(apply Apply[P]) (Answer, error) {
	outcome, err := w.change(apply)
	if err != nil {
		return Answer{}, err
	}
	answer := w.distort(outcome)
	if err := w.remember(outcome, answer); err != nil {
		return Answer{}, err
	}
	return w.sent(answer), nil
}

// change returns what became of the request, which is not yet what the caller is told.
func (w *work[P]) change(apply Apply[P]) (Answer, error) {
	switch w.request.Knobs.Trouble {
	case ErrorBefore:
		return *w.fault(500, "internal", "the service failed"), nil
	case Refuse:
		return Answer{Status: 422, Code: "refused", Message: "the service refused " + w.request.Tool, Operation: w.name}, nil
	}
	effects, err := w.reg.Effects()
	if err != nil {
		return Answer{}, err
	}
	effect := Effect[P]{
		Seq: len(effects) + 1, At: w.now, Operation: w.name, Key: w.request.Key, Caller: w.request.Caller,
		Tool: w.request.Tool, Payload: w.request.Payload, Lag: w.request.Knobs.Lag,
	}
	effect.Record, err = apply(effect)
	var no *Refusal
	if errors.As(err, &no) {
		return Answer{Status: 422, Code: no.Code, Message: no.Message, Operation: w.name}, nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: %w", w.request.Tool, w.name, err)
	}
	if w.request.Knobs.Trouble == FailLater {
		effect.ReversedAt = w.now.Add(w.request.Knobs.FailAfter)
	}
	return Answer{Status: 200, Record: effect.Record, Operation: w.name, Seq: effect.Seq, At: effect.At}, w.reg.Append(effect)
}

// distort turns an outcome into the answer that the service believes to have sent.
func (w *work[P]) distort(outcome Answer) Answer {
	switch w.request.Knobs.Trouble {
	case UnavailableAfter:
		return *w.fault(503, "unavailable", "the service is not available")
	case ErrorAfter:
		return *w.fault(500, "internal", "the service failed")
	}
	return outcome
}

// sent is what reaches the caller of an answer.
func (w *work[P]) sent(a Answer) Answer {
	if w.request.Knobs.Trouble == LoseAfter {
		return Answer{Operation: w.name}
	}
	return a
}

func (w *work[P]) fault(status int, code, message string) *Answer {
	return &Answer{
		Status: status, Code: code, Message: message, Operation: w.name,
		Transient: w.engine.Profile.TransientFlag,
	}
}
