package resolver

import (
	"fmt"
	"time"
)

// Role is who may approve.
type Role string

// The roles, from the least to the most.
const (
	RoleAgent    Role = "agent"
	RoleTeamLead Role = "team_lead"
	RoleGrace    Role = "grace"
)

// Roles lists the roles in rising order.
func Roles() []Role { return []Role{RoleAgent, RoleTeamLead, RoleGrace} }

// refundLimits holds the largest refund each role approves, in cents; grace has no limit.
var refundLimits = map[Role]int64{RoleAgent: 100_00, RoleTeamLead: 500_00}

// Approval is one person's yes to one proposal of one run. It belongs to the run and the fingerprint,
// never to the ticket: a changed amount needs another.
type Approval struct {
	Role        Role      `json:"role"`
	Name        string    `json:"name"`
	Note        string    `json:"note,omitempty"`
	Fingerprint string    `json:"fingerprint"`
	At          time.Time `json:"at"`
}

// Fingerprint returns the digest of what an approver saw: the run, and every action in order.
func Fingerprint(s *TaskState) string {
	if s.Proposal == nil {
		return ""
	}
	actions := make([]any, 0, len(s.Proposal.Actions))
	for _, a := range s.Proposal.Actions {
		actions = append(actions, a.fields(s.TicketID))
	}
	return hash16(canonicalJSON(map[string]any{"run": s.RunID, "rule": s.Proposal.Rule, "actions": actions}))
}

// RequiredRole returns the least role that may approve every action of a proposal.
func RequiredRole(p *Proposal) Role {
	for _, role := range Roles() {
		limit, limited := refundLimits[role]
		within := true
		for _, a := range p.Actions {
			within = within && (!limited || a.AmountCents <= limit)
		}
		if within {
			return role
		}
	}
	return RoleGrace
}

// RoleText returns who may approve, as the request prints it.
func RoleText(r Role) string {
	switch r {
	case RoleAgent:
		return "any agent"
	case RoleTeamLead:
		return "team lead or above"
	default:
		return "Grace"
	}
}

// MayApprove reports whether a role is at least the one that a proposal requires.
func (r Role) MayApprove(p *Proposal) bool { return roleRank(r) >= roleRank(RequiredRole(p)) }

func roleRank(r Role) int {
	for i, role := range Roles() {
		if role == r {
			return i
		}
	}
	return -1
}

// Approve records a person's yes and moves the run to executing. The caller saves.
//
// Errors: ErrNotWaiting when the run does not wait for approval, ErrRoleTooLow when the role may not
// approve this proposal; the state is unchanged then.
func Approve(s *TaskState, role Role, name, note string, at time.Time) error {
	if s.Status != WaitingApproval || s.Proposal == nil {
		return fmt.Errorf("run %s is %s: %w", s.RunID, s.Status, ErrNotWaiting)
	}
	if roleRank(role) < 0 {
		return fmt.Errorf("unknown role %q: %w", role, ErrRoleTooLow)
	}
	if !role.MayApprove(s.Proposal) {
		return fmt.Errorf("run %s needs %s, not %s: %w", s.RunID, RoleText(RequiredRole(s.Proposal)), role, ErrRoleTooLow)
	}
	if name == "" {
		name = string(role)
	}
	s.Approval = &Approval{Role: role, Name: name, Note: note, Fingerprint: Fingerprint(s), At: at}
	s.Log("approval", "approved by %s (%s)", name, role)
	return s.MoveTo(Executing)
}

// Reject records a person's no; a person takes over and nothing is written. The caller saves.
func Reject(s *TaskState, role Role, name, note string) error {
	if s.Status != WaitingApproval {
		return fmt.Errorf("run %s is %s: %w", s.RunID, s.Status, ErrNotWaiting)
	}
	if name == "" {
		name = string(role)
	}
	text := fmt.Sprintf("rejected by %s (%s)", name, role)
	if note != "" {
		text += ": " + note
	}
	s.Log("approval", "%s", text)
	s.StopReason = text
	return s.MoveTo(HandedToPerson)
}
