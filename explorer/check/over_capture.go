package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
)

// over-capture: the refunds of an order never exceed what was captured for it.
//
// Counted over the whole ledger, colleagues included. Not checked: which charge a refund names.
func overCapture(o *Outcome, _ Settings) []history.Violation {
	var out []history.Violation
	for _, s := range slices.Sorted(maps.Keys(o.Captured)) {
		if total := o.paidBack(s); total > o.Refunded[s] && total > o.Captured[s] {
			out = append(out, history.Violation{Invariant: "over-capture",
				Detail: fmt.Sprintf("%s: %d cents refunded of %d captured", s, total, o.Captured[s])})
		}
	}
	return out
}
