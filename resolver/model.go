package resolver

import (
	"context"
	"encoding/json"
	"time"
)

// Model answers one step of the loop. Recordings and a live endpoint are both a Model.
type Model interface {
	// Complete returns the model's answer to a request.
	//
	// Errors: *ModelError when there is no answer to be had.
	Complete(ctx context.Context, r ModelRequest) (ModelResponse, error)
}

// ModelRequest is one Chat Completions request with what a recording needs to find its answer.
type ModelRequest struct {
	TicketID string `json:"task_id"`
	Variant  string `json:"variant"`
	Step     int    `json:"step"`
	Repeat   int    `json:"repeat"`
	// State is the digest of the evidence so far, 8 hex digits.
	State string           `json:"state"`
	Body  ModelRequestBody `json:"request"`
}

// ModelRequestBody is the part of a request that its key hashes; absent parts are null.
type ModelRequestBody struct {
	Model               string          `json:"model"`
	Messages            []Message       `json:"messages"`
	ResponseFormat      json.RawMessage `json:"response_format"`
	Tools               json.RawMessage `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
}

// ModelResponse is what the loop reads of an answer.
type ModelResponse struct {
	Content      string        `json:"content"`
	ToolCalls    []ToolCall    `json:"tool_calls,omitempty"`
	Refusal      string        `json:"refusal,omitempty"`
	FinishReason string        `json:"finish_reason"`
	InputTokens  int           `json:"input_tokens"`
	OutputTokens int           `json:"output_tokens"`
	Latency      time.Duration `json:"latency_ns"`
	// Note says that the answer is not the exact request's, for the trace.
	Note string `json:"note,omitempty"`
}

// ModelError is returned when no answer can be had; Code is no_recording or provider_error.
type ModelError struct {
	Code    string
	Message string
}

func (e *ModelError) Error() string { return e.Code + ": " + e.Message }
