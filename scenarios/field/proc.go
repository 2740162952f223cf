package field

import (
	"context"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// proc is one incarnation: what a program can do.
type proc struct {
	*machine
	ctx  context.Context
	seat *seams.Seat
	// other is what else goes on in the same process; it gets its turn when the program awaits.
	other func() error
}

// now is the virtual time.
func (p *proc) now() time.Time { return p.seat.Now() }

// wait sleeps until a moment, if it has not come yet.
func (p *proc) wait(until time.Time) error {
	if d := until.Sub(p.now()); d > 0 {
		return p.clock.Wait(p.ctx, d)
	}
	return nil
}

// await lets what else goes on in this process run to its end, once.
func (p *proc) await() error {
	other := p.other
	p.other = nil
	if other == nil {
		return nil
	}
	return other()
}

// call is one call on a seam.
type call struct {
	site faults.Site
	// remote: the other side is another process, so the points during the call exist.
	remote  bool
	what    string
	request *history.Request
	// late is what is sent when the call is to arrive late; nil where nothing can.
	late any
	do   func(provider.Knobs) result
}

// result is what came of a call.
type result struct {
	answer   string
	record   string
	repeated bool
	saved    *history.Saved
	err      error
}

// through makes a call past its points.
func (p *proc) through(c call) result {
	entered, err := p.seat.Injector.Enter(c.site)
	if err != nil {
		return result{answer: history.Errored, err: err}
	}
	p.pass(entered, faults.Before, c, result{}, "")
	var r result
	if c.remote {
		p.pass(entered, faults.DuringLost, c, result{}, "")
		var injected faults.Verb
		r, injected = p.strike(entered, c)
		p.pass(entered, faults.During, c, result{}, injected)
	} else {
		r = c.do(provider.Knobs{})
	}
	p.pass(entered, faults.After, c, r, "")
	return r
}

// strike does the work of a call on another process, unless the plan makes something else of it.
func (p *proc) strike(entered faults.Call, c call) (result, faults.Verb) {
	lost := result{answer: history.NoAnswer, err: errNoAnswer}
	fault, struck := entered.Fault()
	switch {
	case !struck:
		return c.do(provider.Knobs{}), ""
	case fault.Verb == faults.LoseRequest:
		return lost, fault.Verb
	case fault.Verb == faults.Unavailable:
		return c.do(provider.Knobs{Trouble: provider.UnavailableBefore}), fault.Verb
	case fault.Verb == faults.Refuse:
		return c.do(provider.Knobs{Trouble: provider.Refuse}), fault.Verb
	case fault.Verb == faults.Lag:
		return c.do(provider.Knobs{Lag: fault.Duration}), fault.Verb
	case fault.Verb == faults.DeliverLate && c.late != nil:
		p.seat.Late(fault.Duration, c.site, c.late)
		return lost, fault.Verb
	default: // lose-response
		c.do(provider.Knobs{})
		return lost, fault.Verb
	}
}

// pass records the passage of one point, then lets the plan strike there.
func (p *proc) pass(entered faults.Call, pos faults.Position, c call, r result, injected faults.Verb) {
	p.seat.Record(history.Event{
		Seam: c.site.Seam, Operation: c.site.Operation, Position: pos.String(), Call: entered.N(), What: c.what, At: p.now(),
		Injected: string(injected), Request: c.request, Answer: r.answer, RecordID: r.record, Repeated: r.repeated, Saved: r.saved,
	})
	entered.At(pos)
}
