package resolver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Ticket is one customer's request. It carries no expected outcome: what is tested must not see it.
type Ticket struct {
	ID          string   `json:"task_id"`
	CustomerID  string   `json:"customer_id"`
	Text        string   `json:"text"`
	Attachments []string `json:"attachments"`
}

// TaskState is everything the next step of a run needs, and nothing that lives only in a process. It is
// saved after every step and before every write, so what is on disk is never more than one step behind.
//
// Source: lesson "Checkpoint and resume", TaskState.
type TaskState struct {
	RunID      string      `json:"run_id"`
	TicketID   string      `json:"ticket_id"`
	CustomerID string      `json:"customer_id"`
	Variant    string      `json:"variant"`
	Model      string      `json:"model"`
	Repeat     int         `json:"repeat"`
	Status     Status      `json:"status"`
	Step       int         `json:"step"`
	Plan       []string    `json:"plan"`
	Evidence   []Evidence  `json:"evidence"`
	Messages   []Message   `json:"messages"`
	Proposal   *Proposal   `json:"proposal,omitempty"`
	Approval   *Approval   `json:"approval,omitempty"`
	Operations []Operation `json:"operations"`
	FaultsSeen []string    `json:"faults_seen"`
	Usage      Usage       `json:"usage"`
	Events     []Event     `json:"events"`
	StopReason string      `json:"stop_reason,omitempty"`
	UpdatedAt  time.Time   `json:"updated_at"`

	// Version is the row's version when it was loaded or last saved; 0 before the first save. Saves are
	// compare-and-set on it. It is a column of the store, not a part of the saved state.
	Version int64 `json:"-"`
}

// Evidence is one read and what came of it.
type Evidence struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	OK        bool            `json:"ok"`
	Code      string          `json:"code,omitempty"`
	Result    json.RawMessage `json:"result"`
}

// Message is one message of the model's conversation, in the Chat Completions form.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// ToolCall is one call the model asked for; Arguments is JSON text.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type,omitempty"`
	Function ToolFunction `json:"function"`
}

// ToolFunction names the tool of a ToolCall and its arguments.
type ToolFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage is what the run has paid the model so far. CostMicros is in millionths of a dollar;
// CostUnknown says that the model has no price in the table.
type Usage struct {
	ModelCalls   int           `json:"model_calls"`
	InputTokens  int           `json:"input_tokens"`
	OutputTokens int           `json:"output_tokens"`
	CostMicros   int64         `json:"cost_micros"`
	CostUnknown  bool          `json:"cost_unknown,omitempty"`
	ModelTime    time.Duration `json:"model_time_ns"`
}

// Event is one line of the run's own trace.
type Event struct {
	Step int    `json:"step"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// OperationStatus is what is on record about one write. Unknown is never stored as failed.
type OperationStatus string

// The four outcomes as they are stored: applied is done; refused, or settled that it did not happen, is
// failed; in flight and not yet settled is pending; unknown needs a person.
const (
	OperationPending OperationStatus = "pending"
	OperationDone    OperationStatus = "done"
	OperationFailed  OperationStatus = "failed"
	OperationUnknown OperationStatus = "unknown"
)

// Operation is the record of one approved action.
//
// Units: FirstCallAt and LastCallAt are the clock's times of the first and latest attempt, zero before
// the first: the key's age and the service's MaxDelay count from them.
type Operation struct {
	ID          string          `json:"id"`
	Tool        Tool            `json:"tool"`
	Action      Action          `json:"action"`
	Status      OperationStatus `json:"status"`
	Attempts    int             `json:"attempts"`
	RecordID    string          `json:"record_id,omitempty"`
	Error       string          `json:"error,omitempty"`
	FirstCallAt *time.Time      `json:"first_call_at,omitempty"`
	LastCallAt  *time.Time      `json:"last_call_at,omitempty"`
}

// NewState returns a fresh run of a ticket, at step 0, not saved yet.
func NewState(t Ticket, runID, variant, model string, repeat int) *TaskState {
	return &TaskState{
		RunID: runID, TicketID: t.ID, CustomerID: t.CustomerID, Variant: variant, Model: model, Repeat: repeat,
		Status: Running, Plan: []string{}, Evidence: []Evidence{}, Messages: []Message{},
		Operations: []Operation{}, FaultsSeen: []string{}, Events: []Event{},
	}
}

// RunID returns the id of the n-th run of a ticket with one variant and model.
func RunID(ticketID, variant, model string, n int) string {
	return fmt.Sprintf("%s-%s-%s-%d", ticketID, variant, model, n)
}

// Log appends one line to the run's trace, at the current step.
func (s *TaskState) Log(kind, format string, args ...any) {
	s.Events = append(s.Events, Event{Step: s.Step, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// Operation returns the record of an operation id, or nil if nothing is on record yet.
func (s *TaskState) Operation(id string) *Operation {
	for i := range s.Operations {
		if s.Operations[i].ID == id {
			return &s.Operations[i]
		}
	}
	return nil
}

// NoteFault remembers a practice fault that an error carries, so that the run's record says which struck.
func (s *TaskState) NoteFault(err error) {
	var fault *FaultError
	if errors.As(err, &fault) && !slices.Contains(s.FaultsSeen, fault.Fault) {
		s.FaultsSeen = append(s.FaultsSeen, fault.Fault)
	}
}

// OwnsOrder reports whether a read of this run showed the order as the ticket's customer's own.
func (s *TaskState) OwnsOrder(orderID string) bool { return s.ownOrders()[orderID] }

// ownOrders returns the orders that reads of this run showed as the customer's own.
func (s *TaskState) ownOrders() map[string]bool {
	own := map[string]bool{}
	add := func(o Order) {
		if o.CustomerID == s.CustomerID {
			own[o.OrderID] = true
		}
	}
	for _, ev := range s.Evidence {
		if !ev.OK {
			continue
		}
		var many []Order
		if result := bytes.TrimSpace(ev.Result); bytes.HasPrefix(result, []byte("[")) {
			if json.Unmarshal(result, &many) != nil {
				continue
			}
		} else {
			many = make([]Order, 1)
			if json.Unmarshal(result, &many[0]) != nil {
				continue
			}
		}
		for _, o := range many {
			add(o)
		}
	}
	return own
}
