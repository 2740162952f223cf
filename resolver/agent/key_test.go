package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

// The keys and digests here were computed with Python's json.dumps and hashlib.
func TestRequestKey_AsPythonHashes(t *testing.T) {
	tokens := 1600
	full := resolver.ModelRequestBody{
		Model: "chat-small",
		Messages: []resolver.Message{
			{Role: "system", Content: "Règles: <a> & \"b\"\n\u2028\x7f\x01"},
			{Role: "user", Content: "été 🌱\t\\"},
			{Role: "assistant", ToolCalls: []resolver.ToolCall{{ID: "c1", Type: "function",
				Function: resolver.ToolFunction{Name: "get_order", Arguments: `{"order_id":"LK-507862"}`}}}},
			{Role: "tool", Content: "{}", ToolCallID: "c1"},
		},
		Tools:      json.RawMessage(`[ {"b": 1, "a": {"z": null, "\u00e9": 0.01}} ]`),
		ToolChoice: json.RawMessage(`"required"`), MaxCompletionTokens: &tokens,
	}
	if got := agent.RequestKey(full); got != "84496c910962165a" {
		t.Error(got)
	}
	if got := agent.RequestKey(resolver.ModelRequestBody{Model: "m"}); got != "9e6a81f364f0dec0" {
		t.Error(got)
	}
}

func TestRequestKey_OfAPartThatIsNotJSON(t *testing.T) {
	a := agent.RequestKey(resolver.ModelRequestBody{Model: "m", Tools: json.RawMessage("{")})
	b := agent.RequestKey(resolver.ModelRequestBody{Model: "m", Tools: json.RawMessage("[")})
	if len(a) != 16 || a == b {
		t.Error(a, b)
	}
}

func TestStateDigest_AsPythonHashes(t *testing.T) {
	read := resolver.Evidence{Tool: "get_order", Arguments: json.RawMessage(`{"order_id":"LK-507862"}`), OK: true}
	for want, evidence := range map[string][]resolver.Evidence{
		"4f53cda1": nil,
		"1df3ff03": {read},
		"f21de516": {
			{Tool: "get_customer_orders", Arguments: json.RawMessage(`{}`), Code: "timeout"},
			{Tool: "search_policy", Arguments: json.RawMessage(`{"query":"dé\"lai 🌱"}`), OK: true},
			{Tool: "x", Arguments: json.RawMessage(`{"b":1,"a":"y"}`), Code: "no_step"},
		},
	} {
		if got := agent.StateDigest(evidence); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
