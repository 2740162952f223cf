package resolver_test

import (
	"slices"
	"testing"

	"github.com/paytwice/paytwice/resolver"
)

// The lesson's figure: each status with every move that is legal. All others are not.
var legal = map[resolver.Status][]resolver.Status{
	"running":          {"waiting_approval", "done", "handed_to_person", "stopped"},
	"waiting_approval": {"executing", "handed_to_person"},
	"executing":        {"done", "handed_to_person"},
	"done":             nil,
	"handed_to_person": nil,
	"stopped":          nil,
}

func TestStatus_Moves(t *testing.T) {
	for from, to := range legal {
		same(t, string(from)+" is known", from.Known(), true)
		same(t, string(from)+" is final", from.Final(), len(to) == 0)
		targets := []resolver.Status{"", "unheard_of"}
		for s := range legal {
			targets = append(targets, s)
		}
		for _, next := range targets {
			t.Run(string(from)+" to "+string(next), func(t *testing.T) {
				s := &resolver.TaskState{RunID: "r-1", Status: from}
				err := s.MoveTo(next)
				if slices.Contains(to, next) {
					must(t, err)
					same(t, "status", s.Status, next)
					return
				}
				isErr(t, "move", err, resolver.ErrIllegalMove)
				same(t, "status", s.Status, from)
			})
		}
	}
	same(t, "unheard of is known", resolver.Status("unheard_of").Known(), false)
}
