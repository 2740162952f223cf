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
			v.Record = Record{Status: LeftAsIs, Reason: why}
			v.Alerts = []Alert{{Run: runID, Text: why}}
		}, nil},
		{"a person, alerted of something else", func(v *View) {
			v.Record = Record{Status: LeftAsIs, Reason: why}
			v.Alerts = []Alert{{Run: runID, Text: "another reason"}}
		}, []string{"lost-write"}},
		{"a person, not alerted, before there was an approval", func(v *View) {
			v.Record = Record{Status: Stopped, Reason: why, Unapproved: true}
		}, []string{"lost-write"}},
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
