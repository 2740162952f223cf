package services

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is appended to whichever earlier ledger, of this store or another, none changes.
func TestGrowing_NoLedgerChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stores, ledgers := make([]growing, 2), [][]Effect{nil}
		want := [][]Effect{nil}
		for n := range rapid.IntRange(1, 12).Draw(t, "changes") {
			from := rapid.IntRange(0, len(ledgers)-1).Draw(t, "from")
			e := Effect{Seq: n}
			ledgers = append(ledgers, stores[rapid.IntRange(0, 1).Draw(t, "store")].after(ledgers[from], e))
			want = append(want, append(slices.Clone(want[from]), e))
		}
		for i := range want {
			if !slices.Equal(ledgers[i], want[i]) {
				t.Fatalf("ledger %d is %v, was %v", i, ledgers[i], want[i])
			}
		}
	})
}
