package transfer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
)

// broken judges what only this program promises, by the names of check.All: rows and marks follow from the
// entries that stand (state-mismatch), whoever gets a run was alerted (lost-write), and no transfer was
// made of an account that no longer held what it was approved for (unapproved-write).
func (v View) broken() []history.Violation {
	var out []history.Violation
	add := func(invariant, why string) {
		if why != "" {
			out = append(out, history.Violation{Invariant: invariant, Intent: operationID, Detail: fmt.Sprintf("run %s: %s", runID, why)})
		}
	}
	add("lost-write", v.unheard())
	add("state-mismatch", v.Books.astray())
	add("unapproved-write", v.Books.unapproved())
	return out
}

// unheard returns why nobody has a run that ended with a person. A reason on record is no alert.
func (v View) unheard() string {
	if !v.Record.final() || v.Record.Status == Committed {
		return ""
	}
	told := func(a Alert) bool { return a.Run == runID && a.Text == v.Record.Reason }
	if slices.ContainsFunc(v.Alerts, told) {
		return ""
	}
	return fmt.Sprintf("it is %s, and no alert says %q", v.Record.Status, v.Record.Reason)
}

// astray returns which account is not what the first books and the entries that stand make of it.
func (b Books) astray() string {
	want := firstBooks().Accounts
	for _, e := range b.Entries {
		if e.Reversed {
			continue
		}
		want[e.From] = Account{want[e.From].BalanceCents - e.DebitedCents, e.Record}
		if e.CreditedCents > 0 {
			want[e.To] = Account{want[e.To].BalanceCents + e.CreditedCents, e.Record}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if is, should := b.Accounts[name], want[name]; is != should {
			return fmt.Sprintf("%s holds %s with the mark %q, by its entries %s with %q", name,
				resolver.FormatCents(is.BalanceCents), is.LastTransfer, resolver.FormatCents(should.BalanceCents), should.LastTransfer)
		}
	}
	return ""
}

// unapproved returns which entry of the run was made although A held too little just before. When an
// earlier entry was taken back the books don't say: it counts as taken back by then.
func (b Books) unapproved() string {
	held := firstBooks().Accounts["A"].BalanceCents
	for _, e := range b.Entries {
		if e.By == runID && held <= moreThanCents {
			return fmt.Sprintf("%s was made while A held %s, not more than %s", e.Record, resolver.FormatCents(held), resolver.FormatCents(moreThanCents))
		}
		if e.From == "A" && !e.Reversed {
			held -= e.DebitedCents
		}
	}
	return ""
}
