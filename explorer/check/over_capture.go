package check

import (
	"fmt"
	"sort"

	"github.com/paytwice/paytwice/explorer/history"
)

// over-capture: the refunds of an order never exceed what was captured for it.
//
// Counted over the whole ledger, colleagues included. Not checked: which charge a refund names.
func overCapture(o *Outcome, _ Settings) []history.Violation {
	sums := map[string]int64{}
	for _, e := range o.Ledger {
		if !e.Reversed {
			sums[e.Subject] += e.AmountCents
		}
	}
	var subjects []string
	for s := range sums {
		subjects = append(subjects, s)
	}
	sort.Strings(subjects)
	var out []history.Violation
	for _, s := range subjects {
		captured, limited := o.Captured[s]
		if total := sums[s] + o.Refunded[s]; limited && sums[s] > 0 && total > captured {
			out = append(out, history.Violation{Invariant: "over-capture",
				Detail: fmt.Sprintf("%s: %d cents refunded of %d captured", s, total, captured)})
		}
	}
	return out
}
