package resolver_test

import (
	"testing"

	"github.com/paytwice/paytwice/resolver"
)

// waiting returns a run that waits for approval of some actions.
func waiting(t *testing.T, run string, actions ...resolver.Action) *resolver.TaskState {
	t.Helper()
	s := resolver.NewState(resolver.Ticket{ID: "T-1", CustomerID: "C-1"}, run, "agent", "chat-small", 1)
	p, err := resolver.NewProposal("T-1", resolver.Resolve, "W2", actions, "Hello", "late")
	must(t, err)
	s.Proposal = p
	must(t, s.MoveTo(resolver.WaitingApproval))
	return s
}

func refundOf(cents int64) resolver.Action {
	a := feeRefund
	a.AmountCents = cents
	return a
}

func TestApprove_Roles(t *testing.T) {
	other := refundOf(499_99)
	other.ReasonCode = "RFD-DAMAGE"
	for _, c := range []struct {
		name    string
		actions []resolver.Action
		least   resolver.Role
	}{
		{"100.00", []resolver.Action{refundOf(100_00)}, resolver.RoleAgent},
		{"100.01", []resolver.Action{refundOf(100_01)}, resolver.RoleTeamLead},
		{"500.00", []resolver.Action{refundOf(500_00)}, resolver.RoleTeamLead},
		{"500.01", []resolver.Action{refundOf(500_01)}, resolver.RoleGrace},
		{"the largest", []resolver.Action{refundOf(resolver.MaxAmountCents)}, resolver.RoleGrace},
		{"a label", []resolver.Action{ladderLabel}, resolver.RoleAgent},
		{"ten pieces", []resolver.Action{{Tool: resolver.ReshipItem, OrderID: "LK-640436", SKU: "PLANTER", Quantity: 10}}, resolver.RoleAgent},
		{"the dearest counts", []resolver.Action{refundOf(1), other}, resolver.RoleTeamLead},
	} {
		rank := map[resolver.Role]int{resolver.RoleAgent: 1, resolver.RoleTeamLead: 2, resolver.RoleGrace: 3}
		for _, role := range append(resolver.Roles(), "", "customer") {
			t.Run(c.name+"/"+string(role), func(t *testing.T) {
				s := waiting(t, "r-1", c.actions...)
				same(t, "least", resolver.RequiredRole(s.Proposal), c.least)
				err := resolver.Approve(s, role, "", "", today)
				if rank[role] >= rank[c.least] {
					must(t, err)
					same(t, "status", s.Status, resolver.Executing)
					same(t, "name", s.Approval.Name, string(role))
					return
				}
				isErr(t, "approve", err, resolver.ErrRoleTooLow)
				same(t, "status", s.Status, resolver.WaitingApproval)
				same(t, "approval", s.Approval, (*resolver.Approval)(nil))
				same(t, "events", len(s.Events), 0)
			})
		}
	}
}

// An approval is of one run and of exactly these actions.
func TestFingerprint(t *testing.T) {
	base := func(t *testing.T) *resolver.TaskState { return waiting(t, "r-1", planter, feeRefund) }
	for _, c := range []struct {
		name   string
		change func(*resolver.TaskState)
		equal  bool
	}{
		{"nothing", func(*resolver.TaskState) {}, true},
		{"the draft reply", func(s *resolver.TaskState) { s.Proposal.Reply = "Bye" }, true},
		{"an event", func(s *resolver.TaskState) { s.Log("note", "x") }, true},
		{"one cent", func(s *resolver.TaskState) { s.Proposal.Actions[1].AmountCents++ }, false},
		{"the order of the actions", func(s *resolver.TaskState) {
			a := s.Proposal.Actions
			a[0], a[1] = a[1], a[0]
		}, false},
		{"an action less", func(s *resolver.TaskState) { s.Proposal.Actions = s.Proposal.Actions[:1] }, false},
		{"another run of the ticket", func(s *resolver.TaskState) { s.RunID = "r-2" }, false},
		{"another ticket", func(s *resolver.TaskState) { s.TicketID = "T-2" }, false},
		{"another rule", func(s *resolver.TaskState) { s.Proposal.Rule = "W3" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base(t)
			want := resolver.Fingerprint(s)
			c.change(s)
			same(t, "equal", resolver.Fingerprint(s) == want, c.equal)
		})
	}
	same(t, "no proposal", resolver.Fingerprint(&resolver.TaskState{}), "")
}

func TestApprove_OnlyOnce(t *testing.T) {
	s := waiting(t, "r-1", feeRefund)
	must(t, resolver.Approve(s, resolver.RoleAgent, "Amira", "fine", today))
	same(t, "approval", s.Approval, &resolver.Approval{Role: "agent", Name: "Amira", Note: "fine", Fingerprint: resolver.Fingerprint(s), At: today})
	same(t, "trace", trace(s, "approval"), []string{"approval approved by Amira (agent)"})
	isErr(t, "again", resolver.Approve(s, resolver.RoleGrace, "Grace", "", today), resolver.ErrNotWaiting)
	isErr(t, "then no", resolver.Reject(s, resolver.RoleGrace, "Grace", ""), resolver.ErrNotWaiting)
	same(t, "still hers", s.Approval.Name, "Amira")
}

func TestReject(t *testing.T) {
	s := waiting(t, "r-1", feeRefund)
	must(t, resolver.Reject(s, resolver.RoleGrace, "", "sent back already"))
	same(t, "status", s.Status, resolver.HandedToPerson)
	same(t, "reason", s.StopReason, "rejected by grace (grace): sent back already")
	isErr(t, "approve after it", resolver.Approve(s, resolver.RoleGrace, "", "", today), resolver.ErrNotWaiting)
	isErr(t, "nothing proposed", resolver.Approve(&resolver.TaskState{Status: resolver.WaitingApproval}, resolver.RoleGrace, "", "", today), resolver.ErrNotWaiting)
}

func TestRoleText(t *testing.T) {
	for role, want := range map[resolver.Role]string{"agent": "any agent", "team_lead": "team lead or above", "grace": "Grace"} {
		same(t, string(role), resolver.RoleText(role), want)
	}
}
