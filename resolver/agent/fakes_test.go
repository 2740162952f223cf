package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

const (
	ownOrder     = "LK-100001"
	secondOrder  = "LK-100002"
	foreignOrder = "LK-200001"
	missingOrder = "LK-999999"
)

var ticket = resolver.Ticket{ID: "T-1", CustomerID: "C-1", Text: "Where is LK-100001?", Attachments: []string{}}

// shop is a small outside world. Reads fail as fail says, by tool, for the first calls; writes are counted.
type shop struct {
	resolver.Payment
	fail   map[string][]error
	asked  []string
	writes int
}

func (s *shop) services() resolver.Services {
	return resolver.Services{Orders: s, Payment: s, Warehouse: warehouse{shop: s}, Tickets: s, Policy: s}
}

func (s *shop) next(tool, value string) error {
	s.asked = append(s.asked, strings.TrimSpace(tool+" "+value))
	if len(s.fail[tool]) == 0 {
		return nil
	}
	err := s.fail[tool][0]
	s.fail[tool] = s.fail[tool][1:]
	return err
}

func (s *shop) GetOrder(_ context.Context, customerID, orderID string) (resolver.Order, error) {
	if err := s.next("get_order", orderID); err != nil {
		return resolver.Order{}, err
	}
	if (orderID != ownOrder && orderID != secondOrder) || customerID != "C-1" {
		return resolver.Order{}, &resolver.RefusedError{Code: "not_found", Message: "this customer has no order " + orderID}
	}
	return resolver.Order{OrderID: orderID, CustomerID: customerID, Note: "<b>&\u2028", Items: []resolver.Item{}, Boxes: []resolver.Shipment{}}, nil
}

func (s *shop) GetCustomerOrders(_ context.Context, customerID string) ([]resolver.Order, error) {
	if err := s.next("get_customer_orders", ""); err != nil || customerID != "C-1" {
		return nil, err
	}
	return []resolver.Order{{OrderID: ownOrder, CustomerID: "C-1"}, {OrderID: secondOrder, CustomerID: "C-1"}}, nil
}

func (s *shop) GetPayments(_ context.Context, _, orderID string) (resolver.Payments, error) {
	return resolver.Payments{OrderID: orderID}, s.next("get_payments", orderID)
}

func (s *shop) SearchPolicy(_ context.Context, query string) ([]resolver.Passage, error) {
	return nil, s.next("search_policy", query)
}

func (s *shop) RequestRefund(context.Context, resolver.WriteRequest) (resolver.Change, error) {
	s.writes++
	return resolver.Change{}, nil
}

func (s *shop) AddNote(context.Context, string, string, string) error { s.writes++; return nil }

type warehouse struct {
	resolver.Register
	shop *shop
}

func (w warehouse) ReshipItem(context.Context, resolver.WriteRequest) (resolver.Change, error) {
	w.shop.writes++
	return resolver.Change{}, nil
}

func (w warehouse) CreateReturnLabel(context.Context, resolver.WriteRequest) (resolver.Change, error) {
	w.shop.writes++
	return resolver.Change{}, nil
}

// call is an answer of variant agent: one tool call.
func call(tool, arguments string) resolver.ModelResponse {
	return resolver.ModelResponse{InputTokens: 100, OutputTokens: 10, FinishReason: "tool_calls", ToolCalls: []resolver.ToolCall{
		{ID: "call_x", Type: "function", Function: resolver.ToolFunction{Name: tool, Arguments: arguments}}}}
}

func look(order string) resolver.ModelResponse { return call("get_order", `{"order_id":"`+order+`"}`) }

// says is an answer of variant agent_structured.
func says(content string) resolver.ModelResponse {
	return resolver.ModelResponse{InputTokens: 100, OutputTokens: 10, FinishReason: "stop", Content: content}
}

func stepText(tool, orderID, query, resolution string) string {
	return fmt.Sprintf(`{"plan":["look"],"tool":%q,"order_id":%s,"query":%s,"resolution":%s}`, tool, orderID, query, resolution)
}

func refund(order, amount string) string {
	return fmt.Sprintf(`{"tool":"request_refund","order_id":%q,"sku":null,"quantity":null,"amount":%s,"reason":"RFD-LATE","payment_id":null}`, order, amount)
}

func resolution(outcome string, actions ...string) string {
	return fmt.Sprintf(`{"outcome":%q,"rule":"W2","actions":[%s],"reply":"Hello","reason":"Late"}`, outcome, strings.Join(actions, ","))
}

func finish(outcome string, actions ...string) resolver.ModelResponse {
	return call("finish", resolution(outcome, actions...))
}

// record returns recordings that give the answers in order for ticket T-1. Their requests are none of the
// loop's, as in a file that somebody else made.
func record(t testing.TB, variant string, answers ...resolver.ModelResponse) *agent.Recordings {
	t.Helper()
	var lines strings.Builder
	for i, a := range answers {
		lines.WriteString(recordingLine(t, "00000000000000ff", variant, i+1, 1, a) + "\n")
	}
	r := agent.NewRecordings()
	if err := r.Add("hostile.jsonl", strings.NewReader(lines.String())); err != nil {
		t.Fatal(err)
	}
	return r
}

func recordingLine(t testing.TB, key, variant string, step, repeat int, a resolver.ModelResponse) string {
	t.Helper()
	line := map[string]any{
		"key": key, "request": map[string]any{"model": "chat-small"},
		"meta": map[string]any{"task_id": "T-1", "variant": variant, "step": step, "repeat": repeat},
		"response": map[string]any{
			"choices": []any{map[string]any{"finish_reason": a.FinishReason, "message": map[string]any{
				"content": a.Content, "refusal": a.Refusal, "tool_calls": a.ToolCalls}}},
			"usage": map[string]any{"prompt_tokens": a.InputTokens, "completion_tokens": a.OutputTokens}},
		"latency_s": a.Latency.Seconds(),
	}
	data, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// run runs the loop over the answers and returns the state, with how many steps were saved.
func run(t testing.TB, variant string, s *shop, model resolver.Model) (*resolver.TaskState, int) {
	t.Helper()
	state := resolver.NewState(ticket, "run-1", variant, "chat-small", 1)
	saves := 0
	loop := &agent.Loop{Model: model, Services: s.services()}
	err := loop.Run(context.Background(), ticket, state, func(_ context.Context, s *resolver.TaskState) error {
		saves++
		if s.Step != saves {
			t.Errorf("save %d at step %d", saves, s.Step)
		}
		return checkSaved(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := checkSaved(state); err != nil {
		t.Error(err)
	}
	if s.writes != 0 {
		t.Errorf("the loop wrote %d time(s)", s.writes)
	}
	return state, saves
}

// checkSaved reports a state that a store would not give back as it is.
func checkSaved(s *resolver.TaskState) error {
	data, err := resolver.EncodeState(s)
	if err != nil {
		return err
	}
	back, err := resolver.DecodeState(data)
	if err != nil {
		return err
	}
	again, err := resolver.EncodeState(back)
	if err == nil && string(again) != string(data) {
		return fmt.Errorf("saved and loaded, the state differs:\n%s\n%s", data, again)
	}
	return err
}

// trace returns the events as the command line prints them.
func trace(s *resolver.TaskState) []string {
	lines := []string{}
	for _, e := range s.Events {
		lines = append(lines, fmt.Sprintf("%d %s %s", e.Step, e.Kind, e.Text))
	}
	return lines
}

// script answers step after step.
type script []resolver.ModelResponse

func (s script) Complete(_ context.Context, q resolver.ModelRequest) (resolver.ModelResponse, error) {
	return s[q.Step-1], nil
}
