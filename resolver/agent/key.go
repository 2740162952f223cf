package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync"

	"github.com/paytwice/paytwice/resolver"
)

// RequestKey returns the name of a request in a recording: the first 16 hex digits of the SHA-256 over its
// model, messages, response_format, tools, tool_choice and max_completion_tokens, absent ones null, keys
// sorted, without blanks and with UTF-8 left as it is.
//
// Determinism: a pure function. A part that is not JSON is hashed as a text, so that a request always has
// a key. Concurrency: safe.
func RequestKey(r resolver.ModelRequestBody) string {
	buffer := keyBuffers.Get().(*[]byte)
	*buffer = appendRequest((*buffer)[:0], r)
	sum := sha256.Sum256(*buffer)
	keyBuffers.Put(buffer)
	return hex.EncodeToString(sum[:8])
}

// keyBuffers saves an allocation of some ten kilobytes a call.
var keyBuffers = sync.Pool{New: func() any { return new([]byte) }}

func appendRequest(b []byte, r resolver.ModelRequestBody) []byte {
	b = append(b, `{"max_completion_tokens":`...)
	if r.MaxCompletionTokens == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, int64(*r.MaxCompletionTokens), 10)
	}
	b = append(b, `,"messages":[`...)
	for i, m := range r.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMessage(b, m)
	}
	b = append(b, `],"model":`...)
	b = compact.appendString(b, r.Model)
	b = appendPart(append(b, `,"response_format":`...), r.ResponseFormat)
	b = appendPart(append(b, `,"tool_choice":`...), r.ToolChoice)
	b = appendPart(append(b, `,"tools":`...), r.Tools)
	return append(b, '}')
}

func appendMessage(b []byte, m resolver.Message) []byte {
	b = compact.appendString(append(b, `{"content":`...), m.Content)
	b = compact.appendString(append(b, `,"role":`...), m.Role)
	if m.ToolCallID != "" {
		b = compact.appendString(append(b, `,"tool_call_id":`...), m.ToolCallID)
	}
	if len(m.ToolCalls) > 0 {
		b = append(b, `,"tool_calls":[`...)
		for i, c := range m.ToolCalls {
			if i > 0 {
				b = append(b, ',')
			}
			b = compact.appendString(append(b, `{"function":{"arguments":`...), c.Function.Arguments)
			b = compact.appendString(append(b, `,"name":`...), c.Function.Name)
			b = compact.appendString(append(b, `},"id":`...), c.ID)
			if c.Type != "" {
				b = compact.appendString(append(b, `,"type":`...), c.Type)
			}
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendPart appends one of the request's JSON parts. The loop's own parts are canonical as they are;
// reading them again for every request would cost more than all the rest.
func appendPart(b []byte, raw []byte) []byte {
	if len(raw) == 0 {
		return append(b, "null"...)
	}
	for _, own := range ownParts() {
		if bytes.Equal(raw, own) {
			return append(b, raw...)
		}
	}
	out, err := compact.appendRaw(b, raw)
	if err != nil {
		return compact.appendString(b, string(raw))
	}
	return out
}
