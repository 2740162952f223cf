package resolver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/resolver"
)

// Fields that are there and of their type, and that no run could have saved.
func TestDecodeState_Nonsense(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*resolver.TaskState)
		says   string
	}{
		"waiting for nothing": {func(s *resolver.TaskState) { s.Status = resolver.WaitingApproval }, "field proposal is missing"},
		"executing unapproved": {func(s *resolver.TaskState) {
			s.Status, s.Proposal = resolver.Executing, &resolver.Proposal{Actions: []resolver.PlannedAction{}}
		}, "field approval is missing"},
		"a step below 0":  {func(s *resolver.TaskState) { s.Step = -4 }, "field step"},
		"a count below 0": {func(s *resolver.TaskState) { s.Usage.ModelCalls = -1 }, "field usage"},
		"attempts below 0": {func(s *resolver.TaskState) {
			s.Operations = []resolver.Operation{{Status: resolver.OperationPending, Attempts: -1}}
		}, "field operations[0].attempts"},
	} {
		t.Run(name, func(t *testing.T) {
			s := resolver.NewState(resolver.Ticket{ID: "T-1", CustomerID: "C-1"}, "T-1-a-b-1", "a", "b", 1)
			c.change(s)
			data, err := resolver.EncodeState(s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := resolver.DecodeState(data); !errors.Is(err, resolver.ErrBadState) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}
