package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
)

// repeated reports a call that may not be made again: it succeeded before, or failed twice.
func repeated(evidence []resolver.Evidence, d decision) bool {
	failed := 0
	for _, e := range evidence {
		if e.Tool != d.tool || string(e.Arguments) != string(d.arguments) || isWrongStep(e) {
			continue
		}
		if e.OK {
			return true
		}
		failed++
	}
	return failed >= 2
}

func isWrongStep(e resolver.Evidence) bool {
	switch e.Code {
	case codeNoStep, codeUnknownTool, codeInvalidArguments, codeInvalidResolution:
		return true
	}
	return false
}

// ToolCalls returns how many reads a run has sent to the services, failed ones among them. Wrong steps are
// evidence too, but reached no service.
func ToolCalls(s *resolver.TaskState) int {
	n := 0
	for _, e := range s.Evidence {
		if !isWrongStep(e) {
			n++
		}
	}
	return n
}

// look carries out a read. A failure is a result like any other.
func (l *Loop) look(ctx context.Context, s *resolver.TaskState, n int, d decision, answered reply) error {
	result, err := l.call(ctx, s, d)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	e := resolver.Evidence{Tool: d.tool, Arguments: d.arguments, OK: err == nil, Result: result}
	if err != nil {
		s.NoteFault(err)
		var message string
		e.Code, message = failure(err)
		e.Result = failureJSON(e.Code, message)
		log(s, n, "tool", "%s -> %s", callText(d), e.Code)
	} else {
		log(s, n, "tool", "%s -> ok", callText(d))
	}
	s.Evidence = append(s.Evidence, e)
	s.Messages = append(s.Messages, answered.message(n, e))
	return nil
}

func (l *Loop) call(ctx context.Context, s *resolver.TaskState, d decision) (json.RawMessage, error) {
	switch d.tool {
	case toolGetOrder:
		return encode(l.Services.Orders.GetOrder(ctx, s.CustomerID, d.value))
	case toolCustomerOrders:
		orders, err := l.Services.Orders.GetCustomerOrders(ctx, s.CustomerID)
		if orders == nil {
			orders = []resolver.Order{} // A saved state holds no null.
		}
		return encode(orders, err)
	case toolGetPayments:
		return encode(l.Services.Payment.GetPayments(ctx, s.CustomerID, d.value))
	default:
		passages, err := l.Services.Policy.SearchPolicy(ctx, d.value)
		if passages == nil {
			passages = []resolver.Passage{}
		}
		return encode(passages, err)
	}
}

// encode uses json.Marshal's own escapes: a saved state is marshalled once more, and must not change.
func encode[T any](v T, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// failure returns what the model is told about an error of a service. The text of an unexpected error stays
// out of the conversation: it may name files or hosts.
func failure(err error) (code, message string) {
	var refused *resolver.RefusedError
	switch {
	case errors.As(err, &refused):
		return refused.Code, refused.Message
	case errors.Is(err, resolver.ErrTimeout):
		return "timeout", "no answer came in time"
	default:
		return "unavailable", "the service can't answer now"
	}
}

func failureJSON(code, message string) json.RawMessage {
	b := compact.appendString([]byte(`{"code":`), code)
	b = compact.appendString(append(b, `,"message":`...), CleanLine(shorten(message, 300)))
	b = append(b, '}')
	out, err := json.Marshal(json.RawMessage(b))
	if err != nil {
		panic(fmt.Sprintf("a failure without JSON form: %v", err))
	}
	return out
}

// refuse answers a wrong step: evidence that counts as an error, and a message that says why.
func refuse(s *resolver.TaskState, n int, w *wrongStep, answered reply) {
	tool := w.tool
	if tool == "" {
		tool = "answer"
	}
	e := resolver.Evidence{Tool: tool, Arguments: json.RawMessage("{}"), Code: w.code, Result: failureJSON(w.code, w.message)}
	log(s, n, "note", "%s", w.Error())
	s.Evidence = append(s.Evidence, e)
	s.Messages = append(s.Messages, answered.message(n, e))
}

// reply is the form in which a result goes back: to a tool call, or as a message of the user.
type reply struct{ toolCallID string }

func (r reply) message(n int, e resolver.Evidence) resolver.Message {
	b := make([]byte, 0, len(e.Result)+80)
	if r.toolCallID == "" {
		b = append(b, `{"step":`...)
		b = strconv.AppendInt(b, int64(n), 10)
		b = compact.appendString(append(b, `,"tool":`...), e.Tool)
		b = append(b, ',')
	} else {
		b = append(b, '{')
	}
	if e.OK {
		b = append(b, `"ok":true,"result":`...)
	} else {
		b = append(b, `"ok":false,"error":`...)
	}
	b = append(append(b, e.Result...), '}')
	if r.toolCallID == "" {
		return resolver.Message{Role: "user", Content: string(b)}
	}
	return resolver.Message{Role: "tool", Content: string(b), ToolCallID: r.toolCallID}
}

// appendAnswer keeps the model's answer in the conversation. An answer without a usable call is kept as
// plain text: a call that is never answered would make the next request invalid.
func appendAnswer(s *resolver.TaskState, n int, r resolver.ModelResponse, refused *wrongStep) reply {
	m := resolver.Message{Role: "assistant", Content: r.Content}
	if s.Variant == VariantAgent && (refused == nil || refused.tool != "") {
		call := r.ToolCalls[0]
		call.Type = "function"
		if call.ID == "" {
			call.ID = "call_" + strconv.Itoa(n)
		}
		m.ToolCalls = []resolver.ToolCall{call}
		s.Messages = append(s.Messages, m)
		return reply{toolCallID: call.ID}
	}
	if m.Content == "" {
		m.Content = r.Refusal
	}
	if m.Content == "" {
		m.Content = "(no usable answer)"
	}
	if len(m.Content) > maxAnswerBytes || !utf8.ValidString(m.Content) {
		m.Content = "(an answer that is not kept)"
	}
	s.Messages = append(s.Messages, m)
	return reply{}
}

// callText returns a read as the trace shows it.
func callText(d decision) string {
	if d.tool == toolSearchPolicy {
		return d.tool + " " + strconv.Quote(d.value)
	}
	if d.value != "" {
		return d.tool + " " + d.value
	}
	return d.tool
}

func modelText(d decision, refused *wrongStep) string {
	switch {
	case refused == nil:
		return d.tool
	case refused.tool != "":
		return refused.tool + " (refused)"
	default:
		return "no usable step"
	}
}
