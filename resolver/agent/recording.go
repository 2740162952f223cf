package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
)

// recording is one recorded call.
type recording struct {
	place
	key      string
	repeat   int
	response resolver.ModelResponse
	failure  *resolver.ModelError
}

// closeness ranks lines of one key: this ticket's first, then the repeat and the step that are asked for.
func (l *recording) closeness(q resolver.ModelRequest) int {
	n := 0
	if l.ticket == q.TicketID {
		n += 4
	}
	if l.repeat == q.Repeat {
		n += 2
	}
	if l.step == q.Step && l.variant == q.Variant {
		n++
	}
	return n
}

// recordingMeta is the meta of a line. The state digest is for people who compare; look-up needs none.
type recordingMeta struct {
	TaskID  string `json:"task_id"`
	Variant string `json:"variant"`
	Step    int    `json:"step"`
	Repeat  *int   `json:"repeat"`
	State   string `json:"state"`
}

// recordedResponse is what is read of a Chat Completions response.
type recordedResponse struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content   *string             `json:"content"`
			Refusal   *string             `json:"refusal"`
			ToolCalls []resolver.ToolCall `json:"tool_calls"`
		} `json:"message"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
}

// maxPlace bounds step and repeat.
const maxPlace = 1_000_000

// isKey reports whether a text is what RequestKey returns.
func isKey(text string) bool { return len(text) == 16 && strings.Trim(text, "0123456789abcdef") == "" }

// parseRecording reads one line; nil stands for one without a key. Of the request, nine tenths of a line,
// only the model is read; what else stands there is skipped, not checked, which halves the time to load.
func parseRecording(data []byte) (*recording, error) {
	if !utf8.Valid(data) {
		return nil, errNotObject
	}
	o, err := members(data)
	if err != nil {
		return nil, err
	}
	key, ok := o.get("key")
	if !ok || isNull(key) {
		return nil, nil
	}
	line := &recording{repeat: 1}
	if line.key, err = text(key); err != nil || !isKey(line.key) {
		return nil, errors.New("key is not 16 hex digits")
	}
	if err := line.readMeta(o); err != nil {
		return nil, err
	}
	request, _ := o.get("request")
	parts, err := members(request)
	if err != nil {
		return nil, fmt.Errorf("request is %w", err)
	}
	model, _ := parts.get("model")
	if line.model, err = text(model); err != nil || line.model == "" {
		return nil, errors.New("request names no model")
	}
	return line, line.readAnswer(o)
}

func (l *recording) readMeta(o object) error {
	raw, _ := o.get("meta")
	var meta recordingMeta
	if err := json.Unmarshal(orNull(raw), &meta); err != nil {
		return fmt.Errorf("meta: %w", err)
	}
	if meta.Repeat != nil {
		l.repeat = *meta.Repeat
	}
	if meta.TaskID == "" || meta.Variant == "" || meta.Step < 1 || meta.Step > maxPlace || l.repeat < 1 || l.repeat > maxPlace {
		return errors.New("meta does not name a task_id, a variant, a step and a repeat from 1")
	}
	l.ticket, l.variant, l.step = meta.TaskID, meta.Variant, meta.Step
	return nil
}

func (l *recording) readAnswer(o object) error {
	response, answered := o.get("response")
	failure, failed := o.get("error")
	answered, failed = answered && !isNull(response), failed && !isNull(failure)
	if answered == failed {
		return errors.New("there must be a response or an error, and not both")
	}
	latency, err := readLatency(o)
	if err != nil {
		return err
	}
	if failed {
		return l.readFailure(failure)
	}
	var r recordedResponse
	if err := json.Unmarshal(response, &r); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	u := r.Usage
	if u.PromptTokens < 0 || u.PromptTokens > maxTokens || u.CompletionTokens < 0 || u.CompletionTokens > maxTokens {
		return fmt.Errorf("usage is not a number of tokens from 0 to %d", maxTokens)
	}
	l.response = resolver.ModelResponse{InputTokens: u.PromptTokens, OutputTokens: u.CompletionTokens, Latency: latency}
	if len(r.Choices) == 0 {
		return nil // The loop counts an answer without a usable step as an error.
	}
	choice := r.Choices[0]
	l.response.FinishReason, l.response.ToolCalls = choice.FinishReason, choice.Message.ToolCalls
	if choice.Message.Content != nil {
		l.response.Content = *choice.Message.Content
	}
	if choice.Message.Refusal != nil {
		l.response.Refusal = *choice.Message.Refusal
	}
	return nil
}

func (l *recording) readFailure(raw json.RawMessage) error {
	var failure struct {
		Message string          `json:"message"`
		Status  json.RawMessage `json:"status"`
	}
	if err := json.Unmarshal(raw, &failure); err != nil {
		return fmt.Errorf("error: %w", err)
	}
	message := failure.Message
	if len(failure.Status) > 0 && !isNull(failure.Status) {
		message = fmt.Sprintf("status %s: %s", failure.Status, message)
	}
	l.failure = &resolver.ModelError{Code: StopProviderError, Message: CleanLine(shorten(message, 300))}
	return nil
}

// readLatency returns latency_s, rounded to the microsecond, so that sums of it don't depend on the order.
func readLatency(o object) (time.Duration, error) {
	raw, ok := o.get("latency_s")
	if !ok || isNull(raw) {
		return 0, nil
	}
	var seconds float64
	if err := json.Unmarshal(raw, &seconds); err != nil || seconds < 0 || seconds > maxLatency.Seconds() {
		return 0, fmt.Errorf("latency_s is not a number from 0 to %.0f", maxLatency.Seconds())
	}
	return time.Duration(math.Round(seconds*1e6)) * time.Microsecond, nil
}

// orNull makes an absent part readable; what is missing shows in the checks that follow.
func orNull(raw json.RawMessage) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}
