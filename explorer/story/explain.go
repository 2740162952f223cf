package story

import (
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
)

func (s Story) explain(h history.History) Text {
	made := int64(0)
	currency := ""
	for _, e := range h.Ledger {
		if !e.Reversed {
			made += e.AmountCents
			currency = e.Currency
		}
	}
	asked := slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Kind == Reconcile })
	person := len(h.Lives) > 0 && h.Lives[len(h.Lives)-1].Ended == history.Person
	doubled, lost := slices.Contains(h.Violations, "double-write"), slices.Contains(h.Violations, "lost-write")
	switch {
	case doubled && currency != "":
		return paidMoreText.Format(len(h.Ledger), Money(made, currency))
	case doubled:
		return madeMoreText.Format(len(h.Ledger))
	case lost:
		return neverText
	case person:
		return personText
	case asked:
		return oneAskedText
	case len(h.Lives) > 1:
		return oneSafeText
	default:
		return oneChangeText
	}
}
