package transfer

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What the judge of the program's own holds against it, and the near misses that it does not.
func TestBroken(t *testing.T) {
	const why = "the check failed"
	other := order{By: "another-workflow", From: "A", AmountCents: 600_00}
	ours := order{Key: operationID, By: runID, From: "A", To: "B", AmountCents: amountCents}
	cases := []struct {
		title  string
		change func(*View)
		want   []string
	}{
		{"committed", func(*View) {}, nil},
		{"a person, alerted", func(v *View) {
			v.Books = halfBooks(t)
			v.Books.Entries[0].Refused = true
			handOver(v, LeftAsIs, why)
		}, nil},
		{"a person, alerted of something else", func(v *View) {
			v.Record = Record{Status: Stopped, Reason: why}
			v.Alerts = []Alert{{Run: runID, Text: "another reason"}}
		}, []string{"lost-write"}},
		{"a person, not alerted, before there was an approval", func(v *View) {
			v.Books = firstBooks()
			mustTransfer(t, &v.Books, other)
			v.Record = Record{Status: Stopped, Reason: why, Unapproved: true}
		}, []string{"lost-write"}},
		{"nobody, at rest before an approval", func(v *View) { v.Record, v.Books = Record{}, firstBooks() }, []string{"lost-write"}},
		{"nobody, at rest after the call", func(v *View) { v.Record.Status = InFlight }, []string{"lost-write"}},
		{"not approved, and A held too little", func(v *View) {
			v.Books = firstBooks()
			mustTransfer(t, &v.Books, other)
			handOver(v, Stopped, why)
			v.Record.Unapproved = true
		}, nil},
		{"not approved, and A held enough", func(v *View) {
			v.Books = firstBooks()
			handOver(v, Stopped, why)
			v.Record.Unapproved = true
		}, []string{"needless-person"}},
		{"half, taken back", func(v *View) {
			v.Books = halfBooks(t)
			mustReverse(t, &v.Books, "TR-1")
			handOver(v, RolledBack, why)
			v.Record.Differs = why
		}, nil},
		{"half, left without a try", func(v *View) {
			v.Books = halfBooks(t)
			handOver(v, LeftAsIs, why)
		}, []string{"state-mismatch"}},
		{"as approved, taken back", func(v *View) {
			mustReverse(t, &v.Books, "TR-1")
			handOver(v, RolledBack, why)
		}, []string{"needless-person"}},
		{"as approved, left", func(v *View) { handOver(v, LeftAsIs, why) }, []string{"needless-person"}},
		{"as approved, left since the bank would not take it back", func(v *View) {
			v.Books.Entries[0].Refused = true
			handOver(v, LeftAsIs, why)
		}, []string{"needless-person"}},
		{"never made, and said to differ", func(v *View) {
			v.Books = firstBooks()
			handOver(v, Stopped, why)
			v.Record.Differs = why
		}, []string{"needless-person"}},
		{"somebody else's half, and said to differ", func(v *View) {
			v.Books = firstBooks()
			mustTransfer(t, &v.Books, other)
			handOver(v, Stopped, why)
			v.Record.Differs = why
		}, []string{"needless-person"}},
		{"a row off its entries", func(v *View) { v.Books.book("A", 1, "TR-1") }, []string{"state-mismatch"}},
		{"a mark off its entries", func(v *View) { v.Books.book("B", 0, "") }, []string{"state-mismatch"}},
		{"taken back", func(v *View) { mustReverse(t, &v.Books, "TR-1") }, nil},
		{"somebody else afterwards", func(v *View) { mustTransfer(t, &v.Books, other) }, nil},
		{"somebody else before", func(v *View) {
			v.Books = firstBooks()
			mustTransfer(t, &v.Books, other)
			mustTransfer(t, &v.Books, ours)
		}, []string{"unapproved-write"}},
	}
	for _, c := range cases {
		t.Run(c.title, func(t *testing.T) {
			v := View{Record: Record{Status: Committed}, Books: firstBooks()}
			mustTransfer(t, &v.Books, ours)
			c.change(&v)
			var names []string
			for _, b := range v.broken() {
				names = append(names, b.Invariant)
			}
			if diff := cmp.Diff(c.want, slices.Compact(names)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// halfBooks are those after a transfer that debited and did not credit.
func halfBooks(t *testing.T) Books {
	t.Helper()
	b := firstBooks()
	b.LosesCredits = true
	mustTransfer(t, &b, order{Key: operationID, By: runID, From: "A", To: "B", AmountCents: amountCents})
	return b
}

// handOver ends the run with a person, who was alerted.
func handOver(v *View, status Status, why string) {
	v.Record = Record{Status: status, Reason: why}
	v.Alerts = []Alert{{Run: runID, Text: why}}
}

func mustTransfer(t *testing.T, b *Books, o order) {
	t.Helper()
	if _, err := b.transfer(o, time.Time{}); err != nil {
		t.Fatal(err)
	}
}

func mustReverse(t *testing.T, b *Books, record string) {
	t.Helper()
	if _, err := b.reverse(order{Record: record}); err != nil {
		t.Fatal(err)
	}
}
