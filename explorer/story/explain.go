package story

import (
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
)

// explain says in one sentence why a history counts what it counts, of the change that was struck.
func (s Story) explain(h history.History) Text {
	doubled, lost := slices.Contains(h.Violations, "double-write"), slices.Contains(h.Violations, "lost-write")
	person := len(h.Lives) > 0 && h.Lives[len(h.Lives)-1].Ended == history.Person
	switch {
	case h.LeftOut != "":
		return interruptedText
	case doubled:
		intent := broken(h, "double-write")
		return join([]Text{more(h.Ledger, intent), s.course(intent).whyTwice()}, " ")
	case lost && s.marked(broken(h, "lost-write")):
		return markedText
	case lost:
		return neverText
	case person:
		return s.course(struck(h)).whyPerson()
	case len(h.Ledger) == 0:
		return noneText
	}
	return join([]Text{oneText, s.course(struck(h)).whyOnce()}, "")
}

// more says how many changes there are of one approved, and for refunds what they come to.
func more(ledger []history.Effect, intent string) Text {
	n, made, currency := 0, int64(0), ""
	for _, e := range ledger {
		if e.Intent != "" && e.Intent != intent || e.Reversed {
			continue
		}
		n++
		made += e.AmountCents
		currency = e.Currency
	}
	if currency == "" {
		return madeMoreText.Format(n)
	}
	return paidMoreText.Format(n, Money(made, currency))
}

// broken is the intent that an invariant was broken for, or else the one that was struck.
func broken(h history.History, invariant string) string {
	for _, v := range h.Broken {
		if v.Invariant == invariant && v.Intent != "" {
			return v.Intent
		}
	}
	return struck(h)
}

// struck is the intent of the last write that was begun before the first fault, or where there is none of
// the first after.
func struck(h history.History) string {
	intent := ""
	for _, life := range h.Lives {
		for i := range life.Events {
			e := &life.Events[i]
			if e.Request != nil && e.Request.Write {
				intent = e.Request.Intent
			}
			if e.Injected != "" && intent != "" {
				return intent
			}
		}
		if intent != "" && (life.Ended == history.Killed || life.Ended == history.Failed) {
			return intent
		}
	}
	return intent
}

// marked reports whether the record ends by calling a change done that no request was sent for.
func (s Story) marked(intent string) bool {
	if slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Part == Write && r.intent == intent }) || len(s.Registers) == 0 {
		return false
	}
	return slices.ContainsFunc(s.Registers[len(s.Registers)-1].Operations, func(op history.Operation) bool {
		return op.Status == history.OperationDone && (op.ID == intent || intent == "")
	})
}

// course is what happened around a fault to one change, by its rows. Asked and what follows count from the
// fault that found the change made, or where none did from the first.
type course struct {
	faulted bool
	// had: a fault came after the change had been made.
	had bool
	// asked the service, and showed: its answer told of the change.
	asked, showed bool
	// sent again, under an id, and known: the service recognised the repeat.
	sent, keyed, known bool
}

func (s Story) course(intent string) course {
	var c course
	made := false
	for _, r := range s.Rows {
		switch {
		case r.Kind == Fault && made && !c.had:
			c = course{faulted: true, had: true}
		case r.Kind == Fault:
			c.faulted = true
		case r.intent != "" && r.intent != intent:
		case r.Part == Write:
			made = made || r.Kind == Wrote
			c.sent, c.keyed, c.known = c.faulted, r.keyed, r.known
		case r.Kind == Reconcile && c.faulted:
			c.asked, c.showed = true, r.known
		}
	}
	return c
}

func (c course) whyTwice() Text {
	switch {
	case !c.had || !c.sent:
		return twiceText
	case c.asked:
		return askedTwiceText
	case c.keyed:
		return keyedTwiceText
	}
	return blindTwiceText
}

func (c course) whyPerson() Text {
	if c.sent {
		return personSentText
	}
	return personText
}

func (c course) whyOnce() Text {
	switch {
	case !c.faulted:
		return Same(".")
	case c.had && !c.sent && c.asked && c.showed:
		return foundOnceText
	case c.had && !c.sent:
		return keptOnceText
	case c.had && c.known && c.asked:
		return askedKnownText
	case c.had && c.known:
		return knownText
	case !c.had && c.sent && c.asked:
		return askedFirstOnceText
	case !c.had && c.sent:
		return unwrittenText
	}
	return Same(".")
}
