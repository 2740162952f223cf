package transfer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
)

// broken judges what only this program promises, by the names of check.All:
//   - lost-write: every run comes to an end, and whoever gets it was alerted;
//   - state-mismatch: rows and marks follow from the entries that stand, and one that is not as approved is
//     left standing only where the bank would not take it back;
//   - unapproved-write: no transfer was made of an account that no longer held what it was approved for;
//   - needless-person: no person was asked because A held too little or an entry differed, where the books
//     say otherwise. Of A they say only what it holds in the end, but nobody adds to it.
func (v View) broken() []history.Violation {
	var out []history.Violation
	add := func(invariant, why string) {
		if why != "" {
			out = append(out, history.Violation{Invariant: invariant, Intent: operationID, Detail: fmt.Sprintf("run %s: %s", runID, why)})
		}
	}
	add("lost-write", v.unheard())
	add("state-mismatch", v.Books.astray())
	add("state-mismatch", v.left())
	add("unapproved-write", v.Books.unapproved())
	add("needless-person", v.needless())
	return out
}

// unheard returns why nobody has a run that was not committed. A reason on record is no alert.
func (v View) unheard() string {
	if v.Record.Status == Committed {
		return ""
	}
	if !v.Record.final() {
		return fmt.Sprintf("it came to rest as %q, and nobody goes on with it", v.Record.Status)
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

// left returns which entry of the run is left to a person, and was never refused to be taken back, or was taken back
// all the same. One that is as approved should not be taken back at all: that is needless.
func (v View) left() string {
	if v.Record.Status != LeftAsIs {
		return ""
	}
	for _, e := range v.Books.Entries {
		switch {
		case e.By != runID:
		case e.Reversed:
			return fmt.Sprintf("%s was taken back, and the record says that it was left as it is", e.Record)
		case !e.asApproved() && !e.Refused:
			return fmt.Sprintf("%s was left as it is, and the bank never refused to take it back", e.Record)
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

// needless returns why the books don't bear out what a person was asked for.
func (v View) needless() string {
	r, held := v.Record, v.Books.Accounts["A"].BalanceCents
	if !r.final() || r.Status == Committed {
		return ""
	}
	if r.Unapproved && held > moreThanCents {
		return fmt.Sprintf("it was not even approved, and A holds %s, more than %s", resolver.FormatCents(held), resolver.FormatCents(moreThanCents))
	}
	differs := false
	for _, e := range v.Books.Entries {
		switch {
		case e.By != runID:
		case !e.asApproved():
			differs = true
		case e.Reversed:
			return e.Record + " was as approved, and was taken back"
		}
	}
	if (r.Status == LeftAsIs || r.Differs != "") && !differs {
		return fmt.Sprintf("it is %s because of %q, and no entry of it differs from what was approved", r.Status, r.Differs)
	}
	return ""
}

func (e Entry) asApproved() bool {
	return e.From == "A" && e.To == "B" && e.AmountCents == amountCents && e.DebitedCents == amountCents && e.CreditedCents == amountCents
}
