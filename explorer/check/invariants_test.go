package check_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
)

// story is what one program did, and what the world has on record at the end.
type story struct {
	events  []history.Event
	outcome check.Outcome
}

// keyed is a program that names its requests, on a service that recognises a key and can be asked.
var keyed = check.Settings{SendsKey: true, Keys: true, Lookup: true, MaxCalls: 3}

const a, b = "intent-a", "intent-b"

func refund(intent string) history.Intent {
	return history.Intent{ID: intent, Tool: "request_refund", Subject: "LK-1", AmountCents: 995, Reason: "RFD-LATE", Payload: "refund " + intent}
}

func effect(intent, record string) history.Effect {
	return history.Effect{Tool: "request_refund", Intent: intent, OperationID: intent, RecordID: record, Subject: "LK-1", AmountCents: 995, Reason: "RFD-LATE"}
}

func operation(id, status string, attempts int, record string) history.Operation {
	return history.Operation{ID: id, Status: status, Attempts: attempts, RecordID: record}
}

// run is a run r-1 that has approved intents a, or those of the operations.
func run(status string, ops ...history.Operation) history.Saved {
	s := history.Saved{Run: "r-1", Status: status, Approval: "fp-1", Approved: []history.Intent{refund(a)}, Operations: ops}
	for _, op := range ops {
		if op.ID != a {
			s.Approved = append(s.Approved, refund(op.ID))
		}
	}
	return s
}

// said is the trail that a run of those operations leaves.
func said(r history.Saved) []check.TrailEntry {
	out := []check.TrailEntry{{Run: r.Run, What: "approved"}}
	for _, op := range r.Operations {
		out = append(out, check.TrailEntry{Run: r.Run, What: op.Status, OperationID: op.ID})
	}
	return append(out, check.TrailEntry{Run: r.Run, What: r.Status})
}

func send(intent, key string) history.Event {
	return history.Event{Position: "before", Request: &history.Request{Intent: intent, Key: key, Write: true, What: "refund", Payload: "refund " + intent}}
}

func answer(intent, what string) history.Event {
	return history.Event{Position: "after", Answer: what, Request: &history.Request{Intent: intent, Key: intent, Write: true, What: "refund", Payload: "refund " + intent}}
}

func asked(intent, what string) history.Event {
	return history.Event{Position: "after", Answer: what, Request: &history.Request{Intent: intent, Ask: true}}
}

func saved(s history.Saved) history.Event {
	return history.Event{Seam: "checkpoint", Operation: "save", Position: "after", Answer: history.Answered, Saved: &s}
}

func about(s history.Saved) history.Event {
	return history.Event{Seam: "checkpoint", Operation: "save", Position: "before", Saved: &s}
}

func decide(run string, step int) history.Event {
	return history.Event{Seam: "model", Operation: "complete", Position: "before", Decision: &history.Decision{Run: run, Step: step}}
}

// good is a story in which one refund goes through: nothing is broken.
func good() story {
	r := run("done", operation(a, "done", 1, "RF-1"))
	pending := run("executing", operation(a, "pending", 1, ""))
	approved := run("executing")
	return story{
		events: []history.Event{decide("r-1", 1), saved(history.Saved{Run: "r-1", Status: "waiting_approval", Step: 1}), saved(approved), saved(pending),
			send(a, a), answer(a, history.Applied), saved(run("executing", operation(a, "done", 1, "RF-1"))), saved(r)},
		outcome: check.Outcome{Ledger: []history.Effect{effect(a, "RF-1")}, Runs: []history.Saved{r}, Trail: said(r),
			Captured: map[string]int64{"LK-1": 29_90}},
	}
}

// broken returns the names of the invariants that a story breaks, each once.
func broken(s story, settings check.Settings) []string {
	set := check.NewSet(settings)
	set.See(s.events)
	var names []string
	for _, v := range set.Judge(&s.outcome) {
		if !slices.Contains(names, v.Invariant) {
			names = append(names, v.Invariant)
		}
	}
	return names
}

// Each row changes the good story a little. A row that names an invariant breaks exactly that one; the
// others are near misses and break none.
func TestInvariants(t *testing.T) {
	keyless := check.Settings{MaxCalls: 3, Keys: true, Lookup: true}
	blind := check.Settings{MaxCalls: 3}
	person := func(s *story, ops ...history.Operation) {
		r := run("handed_to_person", ops...)
		s.outcome.Runs, s.outcome.Trail, s.outcome.Ledger = []history.Saved{r}, said(r), nil
	}
	attempted := func(s *story, attempts, entries int) {
		s.events = s.events[:5]
		person(s, operation(a, "unknown", attempts, ""))
		for range entries {
			s.outcome.Trail = append(s.outcome.Trail, check.TrailEntry{Run: "r-1", What: "attempt", OperationID: a})
		}
	}
	differs := func(s *story, record string) {
		op := operation(a, "unknown", 1, record)
		op.Differs = true
		ledger := s.outcome.Ledger
		s.events = s.events[:6]
		person(s, op)
		s.outcome.Ledger = ledger
	}
	ordered := keyed
	ordered.OneByOne = true
	// Two actions, of which the first is refused, is not known yet, or is made before the second is refused.
	two := func(s *story, first string, late bool) {
		one, other := operation(a, first, 1, ""), operation(b, "done", 1, "RF-2")
		s.outcome.Ledger = []history.Effect{effect(b, "RF-2")}
		if first == "done" {
			one.RecordID, other.Status, other.RecordID = "RF-1", "failed", ""
			s.outcome.Ledger[0] = effect(a, "RF-1")
		}
		waits := operation(b, "pending", 0, "")
		said1 := saved(run("executing", one, waits))
		s.events = append(s.events[:2], saved(run("executing", operation(a, "pending", 0, ""), waits)), send(a, a), answer(a, history.Refused))
		if late {
			s.events = append(s.events, send(b, b), said1)
		} else {
			s.events = append(s.events, said1, send(b, b))
		}
		s.events = append(s.events, answer(b, history.Refused))
		end := run("handed_to_person", one, other)
		s.events = append(s.events, saved(end))
		s.outcome.Runs, s.outcome.Trail = []history.Saved{end}, said(end)
	}
	proposed := func(s *story, status string) {
		r := history.Saved{Run: "r-1", Status: status, Proposed: []history.Intent{{ID: a}}}
		s.outcome = check.Outcome{Runs: []history.Saved{r}}
		s.events = s.events[:2]
	}
	disturb := func(s *story) { s.events[0].Injected = "kill" }
	answered := history.Event{Seam: "payment", Operation: "get_refunds", Position: "after", Answer: history.Answered}
	unanswered := answered
	unanswered.Answer = history.NoAnswer
	for _, c := range []struct {
		name     string
		settings check.Settings
		change   func(*story)
		want     []string
	}{
		{"the good story", keyed, func(*story) {}, nil},
		{"without keys", keyless, func(*story) {}, nil},

		{"double-write: two effects of one intent", keyed, func(s *story) {
			s.outcome.Ledger = append(s.outcome.Ledger, effect(a, "RF-2"))
		}, []string{"double-write"}},
		{"double-write: the second under another name", keyless, func(s *story) {
			e := effect(a, "RF-2")
			e.OperationID = "request-2"
			s.outcome.Ledger = append(s.outcome.Ledger, e)
		}, []string{"double-write"}},
		{"double-write: told to do it without an approval", keyed, func(s *story) {
			s.outcome = check.Outcome{NoTrail: true, Intents: []history.Intent{refund(a)}, Ledger: []history.Effect{effect(a, "1"), effect(a, "2")}}
		}, []string{"double-write"}},
		{"double-write: the first was taken back", keyed, func(s *story) {
			s.outcome.Ledger[0].Reversed = true
			s.outcome.Ledger = append(s.outcome.Ledger, effect(a, "RF-1"))
		}, nil},
		{"double-write: a label of another intent", keyed, func(s *story) {
			s.outcome.Ledger = append(s.outcome.Ledger, history.Effect{Intent: b, Subject: "LK-1", RecordID: "RL-1"})
		}, nil},

		{"same-reason: a colleague, then we", keyed, func(s *story) {
			s.outcome.Ledger = append([]history.Effect{effect(b, "RF-0")}, s.outcome.Ledger...)
		}, []string{"same-reason"}},
		{"same-reason: we, then a colleague", keyed, func(s *story) { s.outcome.Ledger = append(s.outcome.Ledger, effect(b, "RF-0")) }, nil},
		{"same-reason: another reason", keyed, func(s *story) {
			e := effect(b, "RF-0")
			e.Reason = "RFD-DAMAGE"
			s.outcome.Ledger = append([]history.Effect{e}, s.outcome.Ledger...)
		}, nil},
		{"same-reason: another order", keyed, func(s *story) {
			e := effect(b, "RF-0")
			e.Subject = "LK-2"
			s.outcome.Ledger = append([]history.Effect{e}, s.outcome.Ledger...)
		}, nil},
		{"same-reason: the colleague's was taken back", keyed, func(s *story) {
			e := effect(b, "RF-0")
			e.Reversed = true
			s.outcome.Ledger = append([]history.Effect{e}, s.outcome.Ledger...)
		}, nil},

		{"lost-write: done, and nothing there", keyed, func(s *story) { s.outcome.Ledger = nil }, []string{"lost-write"}},
		{"lost-write: still executing, and with nobody", keyed, func(s *story) {
			r := run("executing", operation(a, "pending", 1, ""))
			s.outcome.Runs, s.outcome.Trail, s.outcome.Ledger, s.events = []history.Saved{r}, said(r), nil, nil
		}, []string{"lost-write"}},
		{"lost-write: with a person, but recorded as done", keyed, func(s *story) {
			disturb(s)
			person(s, operation(a, "done", 1, "RF-1"), operation(b, "unknown", 3, ""))
		}, []string{"lost-write"}},
		{"lost-write: done, and then taken back", keyed, func(s *story) { s.outcome.Ledger[0].Reversed = true }, []string{"lost-write"}},
		{"lost-write: taken back by the service after it was recorded", keyed, func(s *story) {
			s.outcome.Ledger[0].Reversed = true
			s.events = append(s.events, history.Event{Position: "after", Answer: history.TakenBack, Request: &history.Request{Intent: a}})
		}, nil},
		{"lost-write: taken back before it was recorded", keyed, func(s *story) {
			s.outcome.Ledger[0].Reversed = true
			s.events = slices.Insert(s.events, 6, history.Event{Position: "after", Answer: history.TakenBack, Request: &history.Request{Intent: a}})
		}, []string{"lost-write"}},
		{"lost-write: refused, with a person", keyed, func(s *story) {
			s.events[5] = answer(a, history.Refused)
			person(s, operation(a, "failed", 1, ""))
			s.events = s.events[:6]
		}, nil},
		{"lost-write: with a person, and nothing recorded of the later action", keyed, func(s *story) {
			s.events[5] = answer(a, history.Refused)
			s.events = s.events[:6]
			person(s, operation(a, "failed", 1, ""))
			s.outcome.Runs[0].Approved = append(s.outcome.Runs[0].Approved, refund(b))
		}, nil},

		{"over-capture: a cent too much", keyed, func(s *story) { s.outcome.Captured["LK-1"] = 994 }, []string{"over-capture"}},
		{"over-capture: with what was paid back before", keyed, func(s *story) {
			s.outcome.Refunded = map[string]int64{"LK-1": 19_96}
		}, []string{"over-capture"}},
		{"over-capture: to the cent", keyed, func(s *story) {
			s.outcome.Refunded = map[string]int64{"LK-1": 19_95}
		}, nil},
		{"over-capture: no limit is known", keyed, func(s *story) { s.outcome.Captured = nil }, nil},
		{"over-capture: too much before, nothing by us", keyed, func(s *story) {
			s.outcome.Refunded = map[string]int64{"LK-2": 1}
			s.outcome.Captured["LK-2"] = 0
		}, nil},

		{"state-mismatch: recorded as failed, and there", keyed, func(s *story) {
			s.events = s.events[:6]
			s.events[5] = answer(a, history.Refused)
			disturb(s)
			ledger := s.outcome.Ledger
			person(s, operation(a, "failed", 3, ""))
			s.outcome.Ledger = ledger
		}, []string{"state-mismatch"}},
		{"state-mismatch: done by another record", keyed, func(s *story) { s.outcome.Ledger[0].RecordID = "RF-9" }, []string{"state-mismatch"}},
		{"state-mismatch: the run is done, the operation pending", keyed, func(s *story) {
			r := run("done", operation(a, "pending", 1, ""))
			s.outcome.Runs, s.outcome.Trail, s.events = []history.Saved{r}, said(r), nil
		}, []string{"state-mismatch"}},
		{"state-mismatch: unknown, and there", keyed, func(s *story) {
			disturb(s)
			s.events = s.events[:5]
			ledger := s.outcome.Ledger
			person(s, operation(a, "unknown", 3, ""))
			s.outcome.Ledger = ledger
		}, nil},
		{"state-mismatch: done, and the record's name is forgotten", check.Settings{MaxCalls: 3, NamesRecords: true},
			func(s *story) { s.outcome.Runs[0].Operations[0].RecordID = "" }, []string{"state-mismatch"}},
		{"state-mismatch: done before the record had a name", keyed, func(s *story) { s.outcome.Runs[0].Operations[0].RecordID = "" }, nil},

		{"key-payload: a second payload under a key", keyed, func(s *story) {
			e := send(a, a)
			e.Request.Payload = "refund of 19.90"
			s.events = append(s.events, e, answer(a, history.Applied))
		}, []string{"key-payload"}},
		{"key-payload: a second key after a settled call", keyed, func(s *story) {
			s.events = append(s.events, send(a, "other"), answer(a, history.Applied))
		}, []string{"key-payload"}},
		{"key-payload: no keys are promised", keyless, func(s *story) {
			s.events = append(s.events, send(a, "other"), answer(a, history.Applied))
		}, nil},
		{"key-payload: no key sent", keyed, func(s *story) { s.events[4] = send(a, "") }, nil},
		{"key-payload: the same again", keyed, func(s *story) { s.events = append(s.events, send(a, a), answer(a, history.Applied)) }, nil},

		{"status-back: a run that was done executes again", keyed, func(s *story) {
			s.events = append(s.events, saved(run("executing", operation(a, "done", 1, "RF-1"))))
		}, []string{"status-back"}},
		{"status-back: an operation that was done is pending again", keyed, func(s *story) {
			s.events = append(s.events[:7], saved(run("executing", operation(a, "pending", 2, ""))))
		}, []string{"status-back"}},
		{"status-back: a save that was refused", keyed, func(s *story) {
			e := saved(run("executing"))
			e.Answer = history.Errored
			s.events = append(s.events, e)
		}, nil},
		{"status-back: a save that never came to an end", keyed, func(s *story) { s.events = append(s.events, about(run("executing"))) }, nil},
		{"status-back: another run", keyed, func(s *story) {
			r := history.Saved{Run: "r-2", Status: "executing"}
			s.events = append(s.events, saved(r))
		}, nil},
		{"status-back: saved again as it was", keyed, func(s *story) { s.events = append(s.events, s.events[7]) }, nil},

		{"foreign-undo: another's", keyed, func(s *story) {
			e := send("", "undo-1")
			e.Request.Undoes, e.Request.Owner = b, a
			s.events = append(s.events, e)
		}, []string{"foreign-undo"}},
		{"foreign-undo: one's own", keyed, func(s *story) {
			e := send("", "undo-1")
			e.Request.Undoes, e.Request.Owner = a, a
			s.events = append(s.events, e)
		}, nil},

		{"unknown-as-failed: failed, and nobody knows", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.NoAnswer), saved(run("executing", operation(a, "failed", 1, ""))))
		}, []string{"unknown-as-failed"}},
		{"unknown-as-failed: killed during the call, then failed", keyed, func(s *story) {
			s.events = append(s.events[:5], saved(run("executing", operation(a, "failed", 1, ""))))
		}, []string{"unknown-as-failed"}},
		{"unknown-as-failed: unavailable proves nothing", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.Unavailable), saved(run("executing", operation(a, "failed", 1, ""))))
		}, []string{"unknown-as-failed"}},
		{"unknown-as-failed: in flight proves nothing", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.InFlight), saved(run("executing", operation(a, "failed", 1, ""))))
		}, []string{"unknown-as-failed"}},
		{"unknown-as-failed: a safe 503 says nothing of the call before it", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.NoAnswer), send(a, a), answer(a, history.UnavailableSafe), saved(run("executing", operation(a, "failed", 2, ""))))
		}, []string{"unknown-as-failed"}},
		{"unknown-as-failed: a safe 503", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.UnavailableSafe), saved(run("executing", operation(a, "failed", 1, ""))))
		}, nil},
		{"unknown-as-failed: a safe 503 after a settled call", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.NoAnswer), asked(a, history.NotFound), send(a, a), answer(a, history.UnavailableSafe),
				saved(run("executing", operation(a, "failed", 2, ""))))
		}, nil},
		{"unknown-as-failed: a safe 503 after two calls that were settled together", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.NoAnswer), send(a, a), answer(a, history.NoAnswer), asked(a, history.NotFound),
				send(a, a), answer(a, history.UnavailableSafe), saved(run("executing", operation(a, "failed", 3, ""))))
		}, nil},
		{"unknown-as-failed: refused", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.Refused), saved(run("executing", operation(a, "failed", 1, ""))))
		}, nil},
		{"unknown-as-failed: asked, and it did not happen", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.NoAnswer), asked(a, history.NotFound), saved(run("executing", operation(a, "failed", 1, ""))))
		}, nil},
		{"unknown-as-failed: never sent", keyed, func(s *story) {
			s.events = append(s.events[:4], saved(run("executing", operation(a, "failed", 0, ""))))
		}, nil},
		{"unknown-as-failed: stored as unknown", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.NoAnswer), saved(run("executing", operation(a, "unknown", 1, ""))))
		}, nil},
		{"unknown-as-failed: another key without proof", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.NoAnswer), send(a, "retry1"), answer(a, history.Applied))
		}, []string{"key-payload", "unknown-as-failed"}},
		{"unknown-as-failed: another name where none is promised", keyless, func(s *story) {
			s.events = append(s.events[:4], send(a, ""), answer(a, history.NoAnswer), send(a, ""), answer(a, history.Applied))
		}, nil},

		{"attempts: a fourth call", keyed, func(s *story) {
			s.events = append(s.events, send(a, a), answer(a, history.Applied), send(a, a), answer(a, history.Applied), send(a, a), answer(a, history.Applied))
		}, []string{"attempts"}},
		{"attempts: a fourth call under other names", keyless, func(s *story) {
			s.events = append(s.events, send(a, ""), send(a, "x"), send(a, "y"))
		}, []string{"attempts"}},
		{"attempts: three", keyed, func(s *story) { s.events = append(s.events, send(a, a), send(a, a), answer(a, history.Applied)) }, nil},
		{"attempts: questions don't count", keyed, func(s *story) {
			for range 9 {
				e := asked(a, history.Found)
				e.Position = "before"
				s.events = append(s.events, e, asked(a, history.Found))
			}
		}, nil},
		{"attempts: nothing is promised", check.Settings{}, func(s *story) {
			s.events = append(s.events, send(a, a), send(a, a), send(a, a), send(a, a))
		}, nil},

		{"unapproved-write: before the approval was saved", keyed, func(s *story) {
			s.events = append([]history.Event{send(a, a), answer(a, history.Applied)}, s.events...)
		}, []string{"unapproved-write"}},
		{"unapproved-write: the save of the approval was refused", keyed, func(s *story) {
			for i := range s.events[:4] {
				s.events[i].Answer = history.Errored
			}
		}, []string{"unapproved-write"}},
		{"unapproved-write: an intent that nobody approved", keyed, func(s *story) {
			s.events = append(s.events, send(b, b), answer(b, history.Applied))
		}, []string{"unapproved-write"}},
		{"unapproved-write: added to the proposal after the approval", keyed, func(s *story) {
			s.events = append(s.events[:7], saved(run("executing", operation(a, "done", 1, "RF-1"), operation(b, "pending", 1, ""))), send(b, b), answer(b, history.Applied))
		}, []string{"unapproved-write"}},
		{"unapproved-write: approved twice", keyed, func(s *story) {
			r := run("executing", operation(a, "done", 1, "RF-1"))
			r.Approval = "fp-2"
			s.events = append(s.events[:7], saved(r))
		}, []string{"unapproved-write"}},
		{"unapproved-write: two runs, two approvals", keyed, func(s *story) {
			r := run("executing")
			r.Run, r.Approval, r.Approved = "r-2", "fp-2", []history.Intent{refund(b)}
			s.events = append(s.events, saved(r), send(b, b), answer(b, history.Applied))
		}, nil},
		{"unapproved-write: after one that was not made", ordered, func(s *story) { two(s, "failed", false) }, []string{"unapproved-write"}},
		{"unapproved-write: after one that was not made, in no order", keyed, func(s *story) { two(s, "failed", false) }, nil},
		{"unapproved-write: before the record of the one ahead", ordered, func(s *story) { two(s, "done", true) }, []string{"unapproved-write"}},
		{"unapproved-write: after one that was made", ordered, func(s *story) { two(s, "done", false) }, nil},
		{"unapproved-write: a question needs none", keyed, func(s *story) {
			e := asked(b, history.NotFound)
			e.Position = "before"
			s.events = append(s.events, e)
		}, nil},

		{"decision-reasked: a saved step again", keyed, func(s *story) { s.events = append(s.events, decide("r-1", 1)) }, []string{"decision-reasked"}},
		{"decision-reasked: an earlier one than the last saved", keyed, func(s *story) {
			s.events = append(s.events[:1], saved(history.Saved{Run: "r-1", Step: 3}), decide("r-1", 2))
		}, []string{"decision-reasked"}},
		{"decision-reasked: paid for, and lost before it was saved", keyed, func(s *story) {
			s.events = append([]history.Event{decide("r-1", 1)}, s.events...)
		}, nil},
		{"decision-reasked: the save was refused", keyed, func(s *story) {
			s.events[1].Answer = history.Errored
			s.events = append(s.events[:2:2], append([]history.Event{decide("r-1", 1)}, s.events[2:]...)...)
		}, nil},
		{"decision-reasked: the next step", keyed, func(s *story) { s.events = append(s.events, decide("r-1", 2)) }, nil},
		{"decision-reasked: another run", keyed, func(s *story) { s.events = append(s.events, decide("r-2", 1)) }, nil},

		{"needless-person: undisturbed, every operation done", keyed, func(s *story) {
			r := run("handed_to_person", operation(a, "done", 1, "RF-1"))
			s.outcome.Runs, s.outcome.Trail, s.events = []history.Saved{r}, said(r), s.events[:7]
		}, []string{"needless-person"}},
		{"needless-person: after a kill, every operation done", keyed, func(s *story) {
			disturb(s)
			r := run("handed_to_person", operation(a, "done", 1, "RF-1"))
			s.outcome.Runs, s.outcome.Trail, s.events = []history.Saved{r}, said(r), s.events[:7]
		}, []string{"needless-person"}},
		{"needless-person: after two calls, and asking could tell", keyed, func(s *story) {
			disturb(s)
			s.events = s.events[:5]
			person(s, operation(a, "unknown", 2, ""))
		}, []string{"needless-person"}},
		{"needless-person: after two calls, and the key could tell", check.Settings{SendsKey: true, Keys: true, MaxCalls: 3}, func(s *story) {
			disturb(s)
			s.events = s.events[:5]
			person(s, operation(a, "unknown", 2, ""))
		}, []string{"needless-person"}},
		{"needless-person: given up as failed after one call", keyed, func(s *story) {
			disturb(s)
			s.events = append(s.events[:5], answer(a, history.NoAnswer), asked(a, history.NotFound))
			person(s, operation(a, "failed", 1, ""))
		}, []string{"needless-person"}},
		{"needless-person: after three calls", keyed, func(s *story) {
			disturb(s)
			s.events = s.events[:5]
			person(s, operation(a, "unknown", 3, ""))
		}, nil},
		{"needless-person: after one call, and three questions were not answered", keyed, func(s *story) {
			disturb(s)
			s.events = append(s.events[:5], unanswered, unanswered, unanswered, about(run("executing", operation(a, "unknown", 1, ""))))
			person(s, operation(a, "unknown", 1, ""))
		}, nil},
		{"needless-person: after one call, and two questions were not answered", keyed, func(s *story) {
			disturb(s)
			s.events = append(s.events[:5], unanswered, unanswered, about(run("executing", operation(a, "unknown", 1, ""))))
			person(s, operation(a, "unknown", 1, ""))
		}, []string{"needless-person"}},
		{"needless-person: after one call, and only the closing note was not answered", keyed, func(s *story) {
			disturb(s)
			r := run("handed_to_person", operation(a, "unknown", 1, ""))
			s.events = append(s.events[:5], about(run("executing", operation(a, "unknown", 1, ""))), unanswered, unanswered, unanswered, about(r))
			person(s, operation(a, "unknown", 1, ""))
		}, []string{"needless-person"}},
		{"needless-person: nobody can tell", blind, func(s *story) {
			disturb(s)
			s.events = s.events[:5]
			person(s, operation(a, "unknown", 1, ""))
		}, nil},
		{"needless-person: a key that is not sent tells nothing", check.Settings{Keys: true, MaxCalls: 3}, func(s *story) {
			disturb(s)
			s.events = s.events[:5]
			person(s, operation(a, "unknown", 1, ""))
		}, nil},
		{"needless-person: refused", keyed, func(s *story) {
			s.events = append(s.events[:5], answer(a, history.Refused))
			person(s, operation(a, "failed", 1, ""))
		}, nil},
		{"needless-person: refused, and nobody was asked about the call before", keyed, func(s *story) {
			s.events = append(s.events[:5], send(a, a), answer(a, history.Refused))
			person(s, operation(a, "unknown", 2, ""))
		}, []string{"needless-person"}},
		{"needless-person: refused, while a process stood still that may send it yet", keyed, func(s *story) {
			s.events = append(s.events[:5], send(a, a), answer(a, history.Refused))
			s.events[4].Process = 1
			person(s, operation(a, "unknown", 2, ""))
		}, nil},
		{"needless-person: refused on its own word", keyed, func(s *story) {
			s.events = s.events[:3]
			person(s, operation(a, "failed", 0, ""))
		}, []string{"needless-person"}},
		{"needless-person: refused on its own word, after a kill, where nobody can tell", blind, func(s *story) {
			disturb(s)
			s.events = s.events[:3]
			person(s, operation(a, "failed", 0, ""))
		}, []string{"needless-person"}},
		{"needless-person: its own check found a colleague's", keyed, func(s *story) {
			s.events = s.events[:3]
			person(s, operation(a, "failed", 0, ""))
			s.outcome.Ledger = []history.Effect{effect(b, "RF-0")}
		}, nil},
		{"needless-person: the ledger leaves no room", keyed, func(s *story) {
			s.events = s.events[:3]
			person(s, operation(a, "failed", 0, ""))
			s.outcome.Ledger = []history.Effect{effect(b, "RF-0")}
			s.outcome.Ledger[0].Reason, s.outcome.Captured["LK-1"] = "RFD-DAMAGED", 2*995-1
		}, nil},
		{"needless-person: the ledger leaves room", keyed, func(s *story) {
			s.events = s.events[:3]
			person(s, operation(a, "failed", 0, ""))
			s.outcome.Ledger = []history.Effect{effect(b, "RF-0")}
			s.outcome.Ledger[0].Reason, s.outcome.Captured["LK-1"] = "RFD-DAMAGED", 2*995
		}, []string{"needless-person"}},
		{"needless-person: what the approval relied on does not hold", keyed, func(s *story) {
			s.events = s.events[:3]
			person(s, operation(a, "failed", 0, ""))
			s.outcome.RuledOut = map[string]bool{a: true}
		}, nil},
		{"needless-person: its own check was not answered, three times", keyed, func(s *story) {
			s.events = append(s.events[:3], unanswered, unanswered, unanswered, about(run("executing", operation(a, "failed", 0, ""))))
			person(s, operation(a, "failed", 0, ""))
		}, nil},
		{"needless-person: its own check was not answered, twice", keyed, func(s *story) {
			s.events = append(s.events[:3], unanswered, unanswered, about(run("executing", operation(a, "failed", 0, ""))))
			person(s, operation(a, "failed", 0, ""))
		}, []string{"needless-person"}},
		{"needless-person: its own check was answered at last", keyed, func(s *story) {
			s.events = append(s.events[:3], unanswered, unanswered, unanswered, answered, about(run("executing", operation(a, "failed", 0, ""))))
			person(s, operation(a, "failed", 0, ""))
		}, []string{"needless-person"}},
		{"needless-person: not answered before another save", keyed, func(s *story) {
			s.events = append(s.events[:3], unanswered, unanswered, unanswered, about(run("executing")), about(run("executing", operation(a, "failed", 0, ""))))
			person(s, operation(a, "failed", 0, ""))
		}, []string{"needless-person"}},
		{"needless-person: a colleague came between two calls", keyed, func(s *story) {
			disturb(s)
			s.events = append(s.events[:5], asked(a, history.NotFound))
			person(s, operation(a, "failed", 1, ""))
			s.outcome.Ledger = []history.Effect{effect(b, "RF-0")}
		}, nil},
		{"needless-person: what was read back differs", keyed, func(s *story) {
			differs(s, "RF-1")
			s.outcome.Ledger[0].Intent, s.outcome.Ledger[0].Reason, s.outcome.Ledger[0].Reversed = b, "RFD-DAMAGED", true
		}, nil},
		{"needless-person: what was read back was taken back", keyed, func(s *story) {
			differs(s, "RF-1")
			s.outcome.Ledger[0].Reversed = true
		}, nil},
		{"needless-person: half of a change was read back", keyed, func(s *story) {
			differs(s, "RF-1")
			s.outcome.Ledger[0].RecordID, s.outcome.Ledger[0].Reversed = "RF-1:debit", true
		}, nil},
		{"needless-person: what was read back is as asked", keyed, func(s *story) { differs(s, "RF-1") }, []string{"needless-person"}},
		{"needless-person: the record that differs is another action's", keyed, func(s *story) {
			differs(s, "RF-2")
			s.outcome.Ledger = []history.Effect{effect(b, "RF-2")}
			s.outcome.Ledger[0].Reason = "RFD-DAMAGED"
			s.outcome.Runs[0].Approved = append(s.outcome.Runs[0].Approved, refund(b))
		}, []string{"needless-person"}},
		{"needless-person: a record that differs, and nobody has", keyed, func(s *story) {
			differs(s, "RF-9")
			s.outcome.Ledger = nil
		}, []string{"needless-person"}},
		{"needless-person: a record that differs, without a name", keyed, func(s *story) {
			differs(s, "")
			s.outcome.Ledger = nil
		}, []string{"needless-person"}},
		{"needless-person: the look-up lagged", keyed, func(s *story) {
			s.events[4].Injected = "lag"
			differs(s, "RF-1")
		}, nil},
		{"needless-person: unknown before any call, and nothing happened", blind, func(s *story) {
			s.events = s.events[:3]
			person(s, operation(a, "unknown", 0, ""))
		}, []string{"needless-person"}},
		{"needless-person: the model handed over, nothing was approved", keyed, func(s *story) {
			r := history.Saved{Run: "r-1", Status: "handed_to_person"}
			s.outcome = check.Outcome{Runs: []history.Saved{r}}
			s.events = s.events[:1]
		}, nil},
		{"needless-person: its proposal is dropped before its approval", keyed, func(s *story) {
			s.outcome = check.Outcome{Runs: []history.Saved{{Run: "r-1", Status: "done"}}}
			s.events = s.events[:2]
		}, []string{"needless-person"}},
		{"needless-person: handed over before its approval", keyed, func(s *story) { proposed(s, "handed_to_person") }, []string{"needless-person"}},
		{"needless-person: stopped before its approval, after a kill", keyed, func(s *story) {
			proposed(s, "stopped")
			disturb(s)
		}, []string{"needless-person"}},
		{"needless-person: waits for an approval that nobody gives", keyed, func(s *story) { proposed(s, "waiting_approval") }, []string{"needless-person"}},
		{"needless-person: waits, and another run has done it", keyed, func(s *story) {
			other := *s
			proposed(s, "waiting_approval")
			r := s.outcome.Runs[0]
			r.Run = "r-0"
			*s = other
			s.outcome.Runs = append([]history.Saved{r}, s.outcome.Runs...)
		}, nil},
		{"needless-person: its own trail says that somebody said no", keyed, func(s *story) {
			proposed(s, "handed_to_person")
			s.outcome.Trail = []check.TrailEntry{{Run: "r-1", What: "rejected"}}
		}, []string{"needless-person"}},

		{"trail: its chain is broken", keyed, func(s *story) { s.outcome.TrailBroken = "entry 2" }, []string{"trail"}},
		{"trail: no approval in it", keyed, func(s *story) { s.outcome.Trail = s.outcome.Trail[1:] }, []string{"trail"}},
		{"trail: no outcome of the operation", keyed, func(s *story) { s.outcome.Trail = append(s.outcome.Trail[:1], s.outcome.Trail[2:]...) }, []string{"trail"}},
		{"trail: no attempt", check.Settings{MaxCalls: 3, TrailsAttempts: true}, func(*story) {}, []string{"trail"}},
		{"trail: one attempt of two", check.Settings{MaxCalls: 3, TrailsAttempts: true}, func(s *story) { attempted(s, 3, 2) }, []string{"trail"}},
		{"trail: an attempt too many", check.Settings{MaxCalls: 3, TrailsAttempts: true}, func(s *story) { attempted(s, 3, 4) }, []string{"trail"}},
		{"trail: every attempt", check.Settings{MaxCalls: 3, TrailsAttempts: true}, func(s *story) { attempted(s, 3, 3) }, nil},
		{"trail: its attempt", check.Settings{MaxCalls: 3, TrailsAttempts: true}, func(s *story) {
			s.outcome.Trail = append(s.outcome.Trail, check.TrailEntry{Run: "r-1", What: "attempt", OperationID: a})
		}, nil},
		{"trail: no end", keyed, func(s *story) { s.outcome.Trail = s.outcome.Trail[:2] }, []string{"trail"}},
		{"trail: the entries are another run's", keyed, func(s *story) {
			for i := range s.outcome.Trail {
				s.outcome.Trail[i].Run = "r-2"
			}
		}, []string{"trail"}},
		{"trail: the program keeps none", keyed, func(s *story) { s.outcome.Trail, s.outcome.NoTrail = nil, true }, nil},
		{"trail: said more than once", keyed, func(s *story) { s.outcome.Trail = append(s.outcome.Trail, s.outcome.Trail...) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := good()
			c.change(&s)
			if diff := cmp.Diff(c.want, broken(s, c.settings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Violations come in the order of the contract, whatever broke first.
func TestSet_Order(t *testing.T) {
	want := []string{"double-write", "same-reason", "lost-write", "over-capture", "state-mismatch", "key-payload", "status-back",
		"foreign-undo", "unknown-as-failed", "attempts", "unapproved-write", "decision-reasked", "needless-person", "never-ends", "trail"}
	if diff := cmp.Diff(want, check.Names()); diff != "" {
		t.Error(diff)
	}
	s := good()
	s.events = append(s.events, decide("r-1", 1), send(b, b), saved(run("executing")))
	s.outcome.Ledger = append(s.outcome.Ledger, effect(a, "RF-2"))
	s.outcome.Captured["LK-1"], s.outcome.TrailBroken = 1, "entry 2"
	got := broken(s, keyed)
	if diff := cmp.Diff([]string{"double-write", "over-capture", "status-back", "unapproved-write", "decision-reasked", "trail"}, got); diff != "" {
		t.Error(diff)
	}
}

// What a judge of the program's own found stands in the same order, and only if it was asked for.
func TestSet_BrokenOfItsOwn(t *testing.T) {
	s := good()
	s.outcome.TrailBroken = "entry 2"
	s.outcome.Broken = []history.Violation{{Invariant: "state-mismatch"}, {Invariant: "lost-write"}}
	for _, c := range []struct{ only, want []string }{
		{nil, []string{"lost-write", "state-mismatch", "trail"}},
		{[]string{"state-mismatch"}, []string{"state-mismatch"}},
		{[]string{"trail"}, []string{"trail"}},
	} {
		settings := keyed
		settings.Only = c.only
		if diff := cmp.Diff(c.want, broken(s, settings)); diff != "" {
			t.Errorf("only %v (-want +got):\n%s", c.only, diff)
		}
	}
}

// Only those asked for are judged.
func TestSet_Only(t *testing.T) {
	s := good()
	s.outcome.Ledger = append(s.outcome.Ledger, effect(a, "RF-2"))
	s.outcome.TrailBroken = "entry 2"
	settings := keyed
	settings.Only = []string{"trail"}
	if diff := cmp.Diff([]string{"trail"}, broken(s, settings)); diff != "" {
		t.Error(diff)
	}
}

func TestNeverEnds(t *testing.T) {
	if diff := cmp.Diff(history.Violation{Invariant: "never-ends", Detail: "16 times"}, check.NeverEnds("16 times")); diff != "" {
		t.Error(diff)
	}
}
