package checkpoint

import (
	"bytes"
	"slices"

	"github.com/paytwice/paytwice/resolver"
)

// cloneState returns a copy that shares nothing changeable with s. It is written out by hand because it
// runs at every load of a simulated life; a test walks both copies and fails on a field it forgets.
func cloneState(s *resolver.TaskState) *resolver.TaskState {
	return cloneBeside(s, &resolver.TaskState{})
}

// cloneBeside returns a copy that shares nothing changeable with s. What an earlier copy says as well is
// that copy's, which must be read only: a save of many changes an operation or two.
func cloneBeside(s, old *resolver.TaskState) *resolver.TaskState {
	c := *s
	c.Plan = cloneSlice(s.Plan, old.Plan, equal, nil)
	c.FaultsSeen = cloneSlice(s.FaultsSeen, old.FaultsSeen, equal, nil)
	c.Events = cloneSlice(s.Events, old.Events, equal, nil)
	c.Evidence = cloneSlice(s.Evidence, old.Evidence, sameEvidence, func(e *resolver.Evidence) {
		e.Arguments, e.Result = bytes.Clone(e.Arguments), bytes.Clone(e.Result)
	})
	c.Messages = cloneSlice(s.Messages, old.Messages, sameMessage, func(m *resolver.Message) { m.ToolCalls = slices.Clone(m.ToolCalls) })
	c.Operations = slices.Clone(s.Operations)
	for i := range c.Operations {
		var was resolver.Operation
		if i < len(old.Operations) {
			was = old.Operations[i]
		}
		op := &c.Operations[i]
		op.FirstCallAt, op.LastCallAt = clonePointer(op.FirstCallAt, was.FirstCallAt), clonePointer(op.LastCallAt, was.LastCallAt)
	}
	c.Proposal = cloneProposal(s.Proposal, old.Proposal)
	c.Approval = clonePointer(s.Approval, old.Approval)
	return &c
}

// cloneSlice returns old if it says the same as s, otherwise a copy of which each element is made its own.
func cloneSlice[T any](s, old []T, same func(a, b T) bool, own func(*T)) []T {
	if sameSlices(s, old, same) {
		return old
	}
	c := slices.Clone(s)
	for i := range c {
		if own != nil {
			own(&c[i])
		}
	}
	return c
}

// sameSlices tells none from one that is empty: they are saved as different texts.
func sameSlices[T any](a, b []T, same func(a, b T) bool) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, same)
}

func clonePointer[T comparable](p, old *T) *T {
	switch {
	case p == nil:
		return nil
	case old != nil && *p == *old:
		return old
	}
	c := *p
	return &c
}

func cloneProposal(p, old *resolver.Proposal) *resolver.Proposal {
	switch {
	case p == nil:
		return nil
	case old != nil && sameProposal(p, old):
		return old
	}
	c := *p
	c.Actions = slices.Clone(p.Actions)
	return &c
}

func sameProposal(a, b *resolver.Proposal) bool {
	return a.Outcome == b.Outcome && a.Rule == b.Rule && a.Reason == b.Reason && a.Reply == b.Reply && sameSlices(a.Actions, b.Actions, equal)
}

func sameEvidence(a, b resolver.Evidence) bool {
	return a.Tool == b.Tool && a.OK == b.OK && a.Code == b.Code && sameBytes(a.Arguments, b.Arguments) && sameBytes(a.Result, b.Result)
}

func sameMessage(a, b resolver.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.ToolCallID == b.ToolCallID && sameSlices(a.ToolCalls, b.ToolCalls, equal)
}

func sameBytes(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func equal[T comparable](a, b T) bool { return a == b }
