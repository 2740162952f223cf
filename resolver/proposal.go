package resolver

import (
	"fmt"
	"strings"
)

// Outcome is how the loop ends a ticket.
type Outcome string

// The ends a resolution may name. Only resolve has actions, and then at least one.
const (
	Resolve      Outcome = "resolve"
	ReplyOnly    Outcome = "reply_only"
	AskCustomer  Outcome = "ask_customer"
	HandToPerson Outcome = "hand_to_person"
)

// MaxActions bounds the actions of one proposal.
const MaxActions = 4

// Rollback says how an action is taken back if it turns out wrong.
type Rollback string

// The kinds of rollback: the direct inverse, a new action that neutralises the first, or a person.
//
// Source: lesson "Checkpoints and rollback", rollback plans.
const (
	RollbackInBand       Rollback = "in-band"
	RollbackCompensating Rollback = "compensating"
	RollbackOutOfBand    Rollback = "out-of-band"
)

// PlannedAction is an action with the way back that its proposal names.
type PlannedAction struct {
	Action
	Rollback     Rollback `json:"rollback"`
	RollbackText string   `json:"rollback_text"`
}

// Proposal is what the loop asks for. Nothing in it has happened yet.
type Proposal struct {
	Outcome Outcome         `json:"outcome"`
	Rule    string          `json:"rule"`
	Actions []PlannedAction `json:"actions"`
	Reason  string          `json:"reason"`
	Reply   string          `json:"reply"`
}

// NewProposal returns a proposal in which each action names its rollback.
//
// Errors: an action that does not validate; two identical actions, which would share one operation id,
// so that the second would silently never happen.
func NewProposal(ticketID string, outcome Outcome, rule string, actions []Action, reply, reason string) (*Proposal, error) {
	return newProposal(ticketID, outcome, rule, actions, reply, reason, MaxActions)
}

func newProposal(ticketID string, outcome Outcome, rule string, actions []Action, reply, reason string, most int) (*Proposal, error) {
	if len(actions) > most {
		return nil, fmt.Errorf("a proposal has at most %d actions, this one %d", most, len(actions))
	}
	if (outcome == Resolve) != (len(actions) > 0) {
		return nil, fmt.Errorf("outcome %s with %d action(s): actions go with resolve, and resolve with actions", outcome, len(actions))
	}
	p := &Proposal{Outcome: outcome, Rule: rule, Actions: []PlannedAction{}, Reply: reply, Reason: reason}
	seen := map[string]int{}
	for i, a := range actions {
		if err := a.Validate(); err != nil {
			return nil, fmt.Errorf("action %d: %w", i+1, err)
		}
		id := OperationID(ticketID, a)
		if first, ok := seen[id]; ok {
			return nil, fmt.Errorf("actions %d and %d are identical: %w", first, i+1, ErrIdenticalActions)
		}
		seen[id] = i + 1
		p.Actions = append(p.Actions, planRollback(a))
	}
	return p, nil
}

func planRollback(a Action) PlannedAction {
	switch a.Tool {
	case CreateReturnLabel:
		return PlannedAction{a, RollbackInBand, "void the label"}
	case ReshipItem:
		return PlannedAction{a, RollbackCompensating, "cancel it before it is sent, else a return label"}
	default:
		return PlannedAction{a, RollbackOutOfBand, "a refund can't be taken back: alert a person and stop"}
	}
}

// Summary returns the proposal in one line, as the trace shows it.
func (p *Proposal) Summary() string {
	parts := make([]string, 0, len(p.Actions))
	for _, a := range p.Actions {
		parts = append(parts, string(a.Tool)+" "+a.OrderID)
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s (%s)", p.Outcome, p.Rule)
	}
	return fmt.Sprintf("%s (%s): %s", p.Outcome, p.Rule, strings.Join(parts, ", "))
}
