package seams

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/resolver"
)

// Whatever it told before, a teller tells of a state what that state says, and nothing told earlier changes.
func TestTeller_RemembersNothingWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var teller teller
		var told, want []*history.Saved
		for range rapid.IntRange(2, 12).Draw(t, "states") {
			s := drawnState(t)
			told, want = append(told, teller.saved(s)), append(want, Saved(s))
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Fatal(diff)
		}
	})
}

func drawnState(t *rapid.T) *resolver.TaskState {
	action := func() resolver.Action {
		return resolver.Action{Tool: resolver.CreateReturnLabel, OrderID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "order")}
	}
	s := &resolver.TaskState{TicketID: rapid.SampledFrom([]string{"one", "other"}).Draw(t, "ticket"), Proposal: &resolver.Proposal{}}
	for range rapid.IntRange(0, 2).Draw(t, "actions") {
		s.Proposal.Actions = append(s.Proposal.Actions, resolver.PlannedAction{Action: action()})
	}
	for range rapid.IntRange(0, 3).Draw(t, "operations") {
		s.Operations = append(s.Operations, resolver.Operation{Action: action()})
	}
	if rapid.Bool().Draw(t, "approved") {
		s.Approval = &resolver.Approval{Fingerprint: "x"}
	}
	return s
}
