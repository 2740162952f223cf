package scenarios_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/scenarios"
)

// Two states that the search takes for one have the same future: the same calls, answers and saves at the
// same distance in time, and the same states at every point. What merging leaves out, versions, tokens,
// stamps and texts, may differ between them only because the program compares versions and tokens for
// equality alone.
func TestMerge_SameContinuation(t *testing.T) {
	for _, s := range []scenarios.Setting{
		{}, {Strategy: "naive-retry"}, {Provider: "key-only"}, {Provider: "no-key"}, {Provider: "blind"},
		{Strategy: "id-only", Provider: "scoped-token"}, {Strategy: "lookup-only", Provider: "no-key"}, {Strategy: "mark-last"}, {Strategy: "restart"},
		{Ticket: "T-90106", Provider: "success-only"},
	} {
		s = s.WithDefaults()
		t.Run(fmt.Sprintf("%s/%s/%s", s.Ticket, s.Strategy, s.Provider), func(t *testing.T) {
			t.Parallel()
			w, err := scenarios.RefundScenario().Simulate(s)
			if err != nil {
				t.Fatal(err)
			}
			merged := 0
			for _, group := range byKey(t, w) {
				first := continuation(t, w, group[0])
				for _, other := range group[1:] {
					merged++
					if diff := cmp.Diff(first, continuation(t, w, other)); diff != "" {
						t.Fatalf("two merged states go on differently:\n%s", diff)
					}
				}
			}
			if merged < 10 {
				t.Errorf("only %d states were merged: this compares nothing", merged)
			}
		})
	}
}

// byKey returns the states that up to two kills leave, those of one identity together, at most three each.
func byKey(t *testing.T, w explorer.World) [][]explorer.State {
	t.Helper()
	start, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	groups := map[string][]explorer.State{}
	wave := []explorer.State{start}
	for range 2 {
		var next []explorer.State
		for _, from := range wave {
			inc, err := w.Run(t.Context(), from, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range inc.Points {
				key := p.State.Key()
				if groups[key] == nil {
					order, next = append(order, key), append(next, p.State)
				}
				if n := len(groups[key]); n < 3 && (n == 0 || groups[key][n-1] != p.State) {
					groups[key] = append(groups[key], p.State)
				}
			}
		}
		wave = next
	}
	var out [][]explorer.State
	for _, key := range order {
		out = append(out, groups[key])
	}
	return out
}

// continuation is the undisturbed life from a state, without what merging leaves out.
func continuation(t *testing.T, w explorer.World, from explorer.State) []string {
	t.Helper()
	inc, err := w.Run(t.Context(), from, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range inc.Life.Events {
		request, saved := history.Request{}, history.Saved{}
		if e.Request != nil {
			request = *e.Request
		}
		if e.Saved != nil {
			saved = *e.Saved
		}
		for i := range saved.Operations {
			saved.Operations[i].RecordID = ""
			if saved.Operations[i].Status == history.OperationDone {
				saved.Operations[i].Attempts = 0 // nobody looks at it any more
			}
		}
		out = append(out, fmt.Sprintf("%s.%s/%s#%d after %s: %s %+v %+v", e.Seam, e.Operation, e.Position, e.Call,
			e.At.Sub(inc.Life.Events[0].At), e.Answer, request, saved))
	}
	for _, p := range inc.Points {
		out = append(out, p.Point.String()+" "+p.State.Key())
	}
	return append(out, string(inc.Life.Ended), inc.Next.Key())
}
