package scenarios

import (
	"fmt"
	"slices"
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// advanced is the event of a clock that was moved before a life.
func advanced(e faults.Event, now time.Time) history.Event {
	return history.Event{Seam: "clock", Operation: "advance", Position: "before", Call: 1, At: now,
		Injected: string(faults.Advance), What: fmt.Sprintf("%s pass", e.Duration)}
}

// happened returns the events of a change by somebody else, with what it took back of what had been
// confirmed.
func happened(name string, before, after *check.Outcome, now time.Time) []history.Event {
	events := []history.Event{{Seam: "world", Operation: name, Position: "before", Call: 1, At: now, Injected: string(faults.World), What: name}}
	for _, e := range after.Ledger {
		stood := slices.ContainsFunc(before.Ledger, func(b history.Effect) bool { return b.RecordID == e.RecordID && !b.Reversed })
		if e.Reversed && stood {
			events = append(events, history.Event{Seam: "world", Operation: name, Position: "after", Call: 1, At: now, Injected: string(faults.World),
				Answer: history.TakenBack, RecordID: e.RecordID, Request: &history.Request{Intent: e.Intent}, What: e.RecordID + " does not stand any more"})
		}
	}
	return events
}

// isPrologue reports whether an event tells what happened before the life started: no point of it.
func isPrologue(e history.Event) bool {
	return e.Injected == string(faults.World) || e.Injected == string(faults.Advance)
}

func resumersOf(life faults.Life) (faults.Event, bool) {
	for _, e := range life {
		if e.Verb == faults.Resumers {
			return e, true
		}
	}
	return faults.Event{}, false
}

// hasLease reports whether an event says that a process has got its lease.
func hasLease(e history.Event) bool {
	return e.Seam == "lease" && e.Operation == "acquire" && e.Position == "after" && e.Answer == history.Answered
}

// isSave reports whether an event is the end of a save.
func isSave(e history.Event) bool {
	return e.Seam == "checkpoint" && e.Operation == "save" && e.Position == "after"
}
