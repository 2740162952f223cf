package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/paytwice/paytwice/resolver"
)

// endpoint is a live model behind an OpenAI-compatible interface. It implements resolver.Model.
type endpoint struct {
	client  openai.Client
	timeout time.Duration
}

func newEndpoint(baseURL, key string, timeout time.Duration) *endpoint {
	return &endpoint{openai.NewClient(option.WithBaseURL(baseURL), option.WithAPIKey(key), option.WithMaxRetries(2)), timeout}
}

// Complete sends the request exactly as its key hashes it, absent parts left out.
//
// Errors: *resolver.ModelError with provider_error; ctx's error.
func (e *endpoint) Complete(ctx context.Context, r resolver.ModelRequest) (resolver.ModelResponse, error) {
	body, err := requestBody(r.Body)
	if err != nil {
		return resolver.ModelResponse{}, err
	}
	asked := time.Now()
	limited, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	answer, err := e.client.Chat.Completions.New(limited, param.Override[openai.ChatCompletionNewParams](body))
	if ctx.Err() != nil {
		return resolver.ModelResponse{}, ctx.Err()
	}
	if err != nil {
		return resolver.ModelResponse{}, &resolver.ModelError{Code: "provider_error", Message: err.Error()}
	}
	if len(answer.Choices) == 0 {
		return resolver.ModelResponse{}, &resolver.ModelError{Code: "provider_error", Message: "the answer has no choice"}
	}
	return response(answer, time.Since(asked)), nil
}

// requestBody is the request with its null parts left out: endpoints differ in whether they take null.
func requestBody(b resolver.ModelRequestBody) (map[string]any, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	for k, v := range body {
		if v == nil {
			delete(body, k)
		}
	}
	return body, nil
}

func response(c *openai.ChatCompletion, took time.Duration) resolver.ModelResponse {
	choice := c.Choices[0]
	out := resolver.ModelResponse{Content: choice.Message.Content, Refusal: choice.Message.Refusal, FinishReason: choice.FinishReason,
		InputTokens: int(c.Usage.PromptTokens), OutputTokens: int(c.Usage.CompletionTokens), Latency: took}
	for _, call := range choice.Message.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, resolver.ToolCall{ID: call.ID, Type: "function",
			Function: resolver.ToolFunction{Name: call.Function.Name, Arguments: call.Function.Arguments}})
	}
	return out
}
