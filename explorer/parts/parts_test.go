package parts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]parts.Shard{
		"1/1": {1, 1}, "2/7": {2, 7}, "16/16": {16, 16}, "10000/10000": {10000, 10000},
		"": {}, "1": {}, "0/1": {}, "2/1": {}, "-1/2": {}, "1/0": {}, "01/2": {}, "1/+2": {}, " 1/2": {}, "1/2 ": {}, "1/2/3": {}, "a/b": {}, "1/10001": {},
		"1/99999999999999999999": {},
	} {
		got, err := parts.ParseShard(text)
		if got != want || (err == nil) != (want != parts.Shard{}) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if err == nil && got.String() != text {
			t.Errorf("%q prints as %q", text, got)
		}
	}
	if !(parts.Shard{}).Has(3) {
		t.Error("the whole run leaves a case out")
	}
}

// TestShard_Has: every case is exactly one shard's, and shards differ by one case at most.
func TestShard_Has(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, cases := rapid.IntRange(1, 40).Draw(t, "of"), rapid.IntRange(0, 100).Draw(t, "cases")
		owners, held := make([]int, cases), make([]int, of)
		for i := 1; i <= of; i++ {
			for n := range cases {
				if (parts.Shard{Index: i, Of: of}).Has(n) {
					owners[n]++
					held[i-1]++
				}
			}
		}
		for n, o := range owners {
			if o != 1 {
				t.Fatalf("case %d has %d owners", n, o)
			}
		}
		for _, h := range held {
			if h < cases/of || h > cases/of+1 {
				t.Fatalf("%d of %d cases for one of %d", h, cases, of)
			}
		}
	})
}

// drawWhole draws a matrix with its cases.
func drawWhole(t *rapid.T) (cells []history.Cell, cases []history.Case, notes []string, settings int) {
	settings = rapid.IntRange(1, 6).Draw(t, "settings")
	for s := range settings {
		plans := rapid.IntRange(0, 4).Draw(t, "plans")
		for p := range max(plans, 1) {
			c := history.Case{Setting: s, Plan: p, Plans: plans}
			if p == 0 && rapid.Bool().Draw(t, "noted") {
				c.Notes = []string{fmt.Sprintf("setting %d", s)}
				notes = append(notes, c.Notes...)
			}
			if plans > 0 {
				c.Items = rapid.IntRange(0, 3).Draw(t, "items")
			}
			for i := range c.Items {
				cells = append(cells, history.Cell{Ticket: fmt.Sprint(s), Plan: fmt.Sprint(p), Action: i + 1, Verdict: history.Pass, Landed: true})
			}
			cases = append(cases, c)
		}
	}
	return cells, cases, notes, settings
}

// dealt returns the documents of the shards, the case of each number dealt by owner.
func dealt(cells []history.Cell, cases []history.Case, settings, of int, owner func(n int) int) []parts.Document {
	docs := make([]parts.Document, of)
	for i := range docs {
		docs[i] = parts.Document{File: fmt.Sprintf("%d.json", i+1), Matrix: &history.Matrix{Schema: history.MatrixSchema, Cells: []history.Cell{},
			Shard: parts.Shard{Index: i + 1, Of: of}.String(),
			Part:  &history.Part{Run: history.Asked{Command: "matrix"}, Version: "1", Settings: settings, Cases: []history.Case{}}}}
	}
	for n, c := range cases {
		if o := owner(n); o >= 0 {
			m := docs[o].Matrix
			m.Part.Cases = append(m.Part.Cases, c)
			m.Cells = append(m.Cells, cells[:c.Items]...)
		}
		cells = cells[c.Items:]
	}
	return docs
}

// TestMerge_Whole: however the cases are dealt, and in whatever order the parts come, they are the whole again;
// with a case dropped or doubled they are not.
func TestMerge_Whole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, cases, notes, settings := drawWhole(t)
		of := rapid.IntRange(1, 8).Draw(t, "of")
		owner := func(n int) int { return (n*7 + 3) % of }
		docs := rapid.Permutation(dealt(cells, cases, settings, of, owner)).Draw(t, "order")
		want := history.Matrix{Schema: history.MatrixSchema, Cells: cells, Notes: notes}
		if cells == nil {
			want.Cells = []history.Cell{}
		}
		want.Sum()
		got, err := parts.Merge(docs)
		if err != nil {
			t.Fatal(err)
		}
		got.Matrix.Part = nil
		if diff := cmp.Diff(want, *got.Matrix); diff != "" {
			t.Fatalf("(-whole +merged):\n%s", diff)
		}

		odd := rapid.IntRange(0, len(cases)-1).Draw(t, "odd")
		dropped := dealt(cells, cases, settings, of, func(n int) int {
			if n == odd {
				return -1
			}
			return owner(n)
		})
		var missing *parts.MissingError
		if d, err := parts.Merge(dropped); !errors.As(err, &missing) {
			t.Fatalf("without case %d: %v, %v", odd, d, err)
		}
		doubled := dealt(cells, cases, settings, of, owner)
		c := cases[odd]
		var wrong *parts.WrongError
		at := 0
		for _, before := range cases[:odd] {
			at += before.Items
		}
		m := doubled[(owner(odd)+1)%of].Matrix
		m.Part.Cases, m.Cells = append(m.Part.Cases, c), append(m.Cells, cells[at:at+c.Items]...)
		if d, err := parts.Merge(doubled); !errors.As(err, &wrong) {
			t.Fatalf("with case %d twice: %v, %v", odd, d, err)
		}
	})
}

// TestParse_Changed: a part in which one byte is another is refused, or reads as it did.
func TestParse_Changed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, cases, _, settings := drawWhole(t)
		m := dealt(cells, cases, settings, 2, func(n int) int { return n % 2 })[0].Matrix
		m.Part = parts.Document{Matrix: m}.Sealed()
		data, err := json.MarshalIndent(m, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		want, err := parts.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.SampledFrom([]byte(`019aelnst"{}[]:, `)).Draw(t, "byte")
		got, err := parts.Parse(data)
		if diff := cmp.Diff(want, got); err == nil && diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	})
}

// FuzzParse: whatever a file says, it is read whole or refused, and what is read can be merged or refused.
func FuzzParse(f *testing.F) {
	for _, d := range dealt([]history.Cell{{Ticket: "T"}, {Ticket: "U"}}, []history.Case{{Plans: 2, Items: 1}, {Plan: 1, Plans: 2, Items: 1}}, 1, 2, func(n int) int { return n }) {
		data, err := json.Marshal(d.Matrix)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"schema":"paytwice.explorations/1","runs":[{"scenario":"refund","unreached":[],"violations":[]}],"shard":"1/1","part":{"run":{"command":"check"},"version":"1","settings":1,"cases":[{"plans":1,"items":1}]}}`))
	f.Add([]byte(`{"schema":"paytwice.explore/1","part":{"settings":1,"cases":[{"plans":1,"items":1,"unfinished":true}]}}`))
	f.Add([]byte(`{"schema":"paytwice.matrix/1","part":{"settings":-1,"cases":[{"setting":-5,"items":-2}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := parts.ParseUnsealed(data)
		if err != nil {
			return
		}
		if d.Part() == nil {
			return
		}
		whole, err := parts.Merge([]parts.Document{d})
		if err != nil {
			return
		}
		if m := whole.Matrix; m != nil && len(m.Cells) != len(d.Matrix.Cells) || m == nil && len(whole.Explorations.Runs) != len(d.Explorations.Runs) {
			t.Errorf("merged from one part, it is another: %s", data)
		}
	})
}
