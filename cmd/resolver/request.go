package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

// printOutcome prints how the loop ended a ticket and what it cost.
func (p *program) printOutcome(s *resolver.TaskState) {
	end := fmt.Sprintf("none (%s: %s)", s.Status, agent.CleanLine(s.StopReason))
	if s.Proposal != nil {
		end = fmt.Sprintf("%s (rule %s)", s.Proposal.Outcome, agent.CleanLine(s.Proposal.Rule))
	}
	p.out.Printf("Outcome: %s | %d model call(s), %d tool call(s) | %d tokens in, %d out | %s\n",
		end, s.Usage.ModelCalls, agent.ToolCalls(s), s.Usage.InputTokens, s.Usage.OutputTokens, costText(s.Usage))
}

// costText is a cost in dollars with five decimals, rounded from millionths.
func costText(u resolver.Usage) string {
	if u.CostUnknown {
		return "cost unknown"
	}
	tenths := (u.CostMicros + 5) / 10
	return fmt.Sprintf("US$%d.%05d", tenths/100_000, tenths%100_000)
}

// printProposal prints what a run that left the loop has to show: the approval request, or the reply.
func (p *program) printProposal(s *resolver.TaskState) {
	if s.Status == resolver.WaitingApproval {
		p.printRequest(s)
		return
	}
	if s.Proposal != nil {
		p.printText("Why", s.Proposal.Reason)
		p.printText("Draft reply", s.Proposal.Reply)
	} else if why := whyStopped(s); why != "" {
		p.printText("Why", why)
	}
	p.printStatus(s)
}

// whyStopped returns what a run that was stopped met last: the last of its errors, else the loop's own note.
// A limit of steps, time or cost has none; its name says all.
func whyStopped(s *resolver.TaskState) string {
	if n := len(s.Evidence); s.StopReason == agent.StopTooManyErrors && n > 0 {
		var failure struct{ Code, Message string }
		if json.Unmarshal(s.Evidence[n-1].Result, &failure) == nil {
			return fmt.Sprintf("%s: %s: %s", s.Evidence[n-1].Tool, failure.Code, failure.Message)
		}
	}
	for _, e := range slices.Backward(s.Events) {
		if e.Kind == "note" {
			return e.Text
		}
		if e.Kind != "stop" {
			break
		}
	}
	return ""
}

// printRequest prints everything an approver has to see, and ends with the command that approves.
func (p *program) printRequest(s *resolver.TaskState) {
	proposal := s.Proposal
	p.out.Printf("%s\n", p.style.Strong(fmt.Sprintf("Approval needed for run %s (ticket %s)", s.RunID, s.TicketID)))
	p.out.Printf("Proposed by: %s, %s. Rule: %s.\n\n", s.Variant, agent.CleanLine(s.Model), agent.CleanLine(proposal.Rule))
	p.out.Printf("%s\n", p.style.Strong("Actions (nothing has happened yet):"))
	for i, a := range proposal.Actions {
		p.out.Printf("  %d. %s\n", i+1, agent.CleanLine(a.Text()))
		p.out.Printf("     if it turns out wrong: %s (%s)\n", agent.CleanLine(a.RollbackText), a.Rollback)
	}
	p.out.Printf("\nWho may approve: %s\n\n", resolver.RoleText(resolver.RequiredRole(proposal)))
	p.printText("Why", proposal.Reason)
	p.out.Printf("Evidence:\n")
	for _, e := range s.Evidence {
		p.printEvidence(e)
	}
	p.printText("Draft reply", proposal.Reply)
	p.out.Printf("\nNext: resolver approve %s --as %s\n", s.RunID, resolver.RequiredRole(proposal))
}

// printText prints a named text of the model, its first line beside the name.
func (p *program) printText(name, text string) {
	text = cli.Wrap(agent.Clean(orNone(strings.TrimSpace(text))), strings.Repeat(" ", len(name)+2))
	p.out.Printf("%s: %s\n", name, strings.TrimLeft(text, " "))
}

// printStatus prints where a run stands.
func (p *program) printStatus(s *resolver.TaskState) {
	status := string(s.Status)
	switch s.Status {
	case resolver.Done:
		status = p.style.Good(status)
	case resolver.HandedToPerson, resolver.Stopped:
		status = p.style.Bad(status)
	default:
		status = p.style.Open(status)
	}
	p.out.Printf("Status: %s\n", status)
}

// printResult prints what became of each action, then the status.
func (p *program) printResult(s *resolver.TaskState) {
	for _, a := range s.Proposal.Actions {
		op := s.Operation(resolver.OperationID(s.TicketID, a.Action))
		if op == nil {
			p.out.Printf("%s %s: not sent\n", a.Tool, agent.CleanLine(a.OrderID))
			continue
		}
		line := fmt.Sprintf("%s %s: %s (operation %s, %d call(s)) %s", op.Tool, op.Action.OrderID, op.Status, op.ID, op.Attempts, op.Error)
		p.out.Printf("%s\n", agent.CleanLine(strings.TrimRight(line, " ")))
	}
	p.printStatus(s)
}

// printStop prints a simulated stop.
func (p *program) printStop(stop *resolver.InterruptedError) {
	p.out.Printf("The process stopped: %s. Resume with: resolver resume %s\n", stop, stop.RunID)
}
