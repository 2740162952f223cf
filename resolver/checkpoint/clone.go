package checkpoint

import (
	"bytes"
	"slices"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// cloneState returns a copy that shares nothing changeable with s. It is written out by hand because it
// runs at every load of a simulated life; a test walks both copies and fails on a field it forgets.
func cloneState(s *resolver.TaskState) *resolver.TaskState {
	c := *s
	c.Plan = slices.Clone(s.Plan)
	c.FaultsSeen = slices.Clone(s.FaultsSeen)
	c.Events = slices.Clone(s.Events)
	c.Evidence = slices.Clone(s.Evidence)
	for i := range c.Evidence {
		c.Evidence[i].Arguments = bytes.Clone(c.Evidence[i].Arguments)
		c.Evidence[i].Result = bytes.Clone(c.Evidence[i].Result)
	}
	c.Messages = slices.Clone(s.Messages)
	for i := range c.Messages {
		c.Messages[i].ToolCalls = slices.Clone(c.Messages[i].ToolCalls)
	}
	c.Operations = slices.Clone(s.Operations)
	for i := range c.Operations {
		c.Operations[i].FirstCallAt = cloneTime(c.Operations[i].FirstCallAt)
		c.Operations[i].LastCallAt = cloneTime(c.Operations[i].LastCallAt)
	}
	if s.Proposal != nil {
		p := *s.Proposal
		p.Actions = slices.Clone(p.Actions)
		c.Proposal = &p
	}
	if s.Approval != nil {
		a := *s.Approval
		c.Approval = &a
	}
	return &c
}

func cloneTime(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	c := *t
	return &c
}
