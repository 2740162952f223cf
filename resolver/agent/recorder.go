package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// Recorder is a model that asks another one and writes down what was asked and answered, one line a call,
// in the form that Recordings reads.
//
// Concurrency: safe; lines are whole, in the order in which answers come.
type Recorder struct {
	// Model is asked.
	Model resolver.Model
	// Out takes the lines.
	Out io.Writer
	// Clock stamps the lines; nil leaves the time out.
	Clock resolver.Clock
	// Reconstructed marks lines that no model ever wrote.
	Reconstructed bool

	mu  sync.Mutex
	err error
}

var _ resolver.Model = (*Recorder)(nil)

// recorderLine is a line as it is written. The short fields come first, for those who read it.
type recorderLine struct {
	Key           string            `json:"key"`
	Meta          recorderMeta      `json:"meta"`
	Request       recorderRequest   `json:"request"`
	Response      *recorderResponse `json:"response,omitempty"`
	Error         *recorderError    `json:"error,omitempty"`
	LatencyS      json.Number       `json:"latency_s"`
	At            *time.Time        `json:"at,omitempty"`
	Reconstructed bool              `json:"reconstructed,omitempty"`
}

type recorderMeta struct {
	TaskID  string `json:"task_id"`
	Variant string `json:"variant"`
	Step    int    `json:"step"`
	Repeat  int    `json:"repeat"`
	State   string `json:"state"`
}

// recorderRequest is the request body without its absent parts.
type recorderRequest struct {
	Model               string             `json:"model"`
	Messages            []resolver.Message `json:"messages"`
	ResponseFormat      json.RawMessage    `json:"response_format,omitempty"`
	Tools               json.RawMessage    `json:"tools,omitempty"`
	ToolChoice          json.RawMessage    `json:"tool_choice,omitempty"`
	MaxCompletionTokens *int               `json:"max_completion_tokens,omitempty"`
}

type recorderResponse struct {
	Choices []recorderChoice `json:"choices"`
	Usage   recorderUsage    `json:"usage"`
}

type recorderChoice struct {
	FinishReason string          `json:"finish_reason"`
	Message      recorderMessage `json:"message"`
}

type recorderMessage struct {
	Role      string              `json:"role"`
	Content   *string             `json:"content"`
	Refusal   *string             `json:"refusal"`
	ToolCalls []resolver.ToolCall `json:"tool_calls,omitempty"`
}

type recorderUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

type recorderError struct {
	Message string `json:"message"`
}

// Complete implements resolver.Model: the answer is the other model's own. A line that can't be written
// does not lose an answer that was paid for; Err tells.
func (r *Recorder) Complete(ctx context.Context, q resolver.ModelRequest) (resolver.ModelResponse, error) {
	answer, err := r.Model.Complete(ctx, q)
	if err != nil && ctx.Err() != nil {
		return answer, err
	}
	line := r.line(q)
	if err == nil {
		line.answer(answer)
	} else {
		line.failure(err)
	}
	r.write(line)
	return answer, err
}

// Err returns the first error of writing.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *Recorder) line(q resolver.ModelRequest) *recorderLine {
	line := &recorderLine{
		Key:      RequestKey(q.Body),
		Meta:     recorderMeta{TaskID: q.TicketID, Variant: q.Variant, Step: q.Step, Repeat: q.Repeat, State: q.State},
		Request:  recorderRequest(q.Body),
		LatencyS: "0", Reconstructed: r.Reconstructed,
	}
	if r.Clock != nil {
		now := r.Clock.Now()
		line.At = &now
	}
	return line
}

func (l *recorderLine) answer(a resolver.ModelResponse) {
	message := recorderMessage{Role: "assistant", ToolCalls: a.ToolCalls}
	if a.Content != "" || len(a.ToolCalls) == 0 {
		message.Content = &a.Content
	}
	if a.Refusal != "" {
		message.Refusal = &a.Refusal
	}
	l.Response = &recorderResponse{
		Choices: []recorderChoice{{FinishReason: a.FinishReason, Message: message}},
		Usage:   recorderUsage{PromptTokens: a.InputTokens, CompletionTokens: a.OutputTokens},
	}
	l.LatencyS = seconds(a.Latency)
}

func (l *recorderLine) failure(err error) {
	message := err.Error()
	var known *resolver.ModelError
	if errors.As(err, &known) {
		message = known.Message
	}
	l.Error = &recorderError{Message: message}
}

// seconds writes a duration as decimal seconds, from whole microseconds: a float would show its rounding.
func seconds(d time.Duration) json.Number {
	micros := max(d, 0).Round(time.Microsecond).Microseconds()
	text := strings.TrimRight(fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6), "0")
	return json.Number(strings.TrimSuffix(text, "."))
}

func (r *Recorder) write(line *recorderLine) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.Out.Write(b.Bytes())
	}
	if r.err == nil {
		r.err = err
	}
}
