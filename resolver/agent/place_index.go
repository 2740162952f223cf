package agent

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/paytwice/paytwice/resolver"
)

// placeIndex holds the recordings of one place by rising repeat, and for each repeat that was asked for the
// last request with what it gave. Hashing a request costs far more than all the rest of a look-up; comparing
// it with the last one costs little, and gives the same result, because a look-up is a pure function.
type placeIndex struct {
	lines []*recording
	last  [4]atomic.Pointer[lookup]
}

// lookup is one request as it was, and its result.
type lookup struct {
	repeat int
	body   resolver.ModelRequestBody
	found  found
}

// add keeps the lines in order; of two lines of one repeat the first stays first.
func (p *placeIndex) add(line *recording) {
	i := len(p.lines)
	for i > 0 && p.lines[i-1].repeat > line.repeat {
		i--
	}
	p.lines = slices.Insert(p.lines, i, line)
}

// nearest returns the line of a repeat, or that of the lowest.
func (p *placeIndex) nearest(repeat int) *recording {
	for _, line := range p.lines {
		if line.repeat == repeat {
			return line
		}
	}
	return p.lines[0]
}

func (p *placeIndex) slot(repeat int) *atomic.Pointer[lookup] {
	return &p.last[uint(repeat)%uint(len(p.last))]
}

func (p *placeIndex) remembered(q resolver.ModelRequest) (found, bool) {
	last := p.slot(q.Repeat).Load()
	if last == nil || last.repeat != q.Repeat || !sameRequest(last.body, q.Body) {
		return found{}, false
	}
	return last.found, true
}

func (p *placeIndex) remember(q resolver.ModelRequest, f found) {
	body := q.Body
	// The caller goes on to append to its messages: keep a copy. Texts don't change.
	body.Messages = slices.Clone(q.Body.Messages)
	for i := range body.Messages {
		body.Messages[i].ToolCalls = slices.Clone(body.Messages[i].ToolCalls)
	}
	body.ResponseFormat = bytes.Clone(body.ResponseFormat)
	body.Tools = bytes.Clone(body.Tools)
	body.ToolChoice = bytes.Clone(body.ToolChoice)
	if body.MaxCompletionTokens != nil {
		tokens := *body.MaxCompletionTokens
		body.MaxCompletionTokens = &tokens
	}
	p.slot(q.Repeat).Store(&lookup{repeat: q.Repeat, body: body, found: f})
}

// sameRequest compares everything that the key hashes. The newest message differs most often.
func sameRequest(a, b resolver.ModelRequestBody) bool {
	if a.Model != b.Model || len(a.Messages) != len(b.Messages) || !sameTokens(a.MaxCompletionTokens, b.MaxCompletionTokens) {
		return false
	}
	for i := len(a.Messages) - 1; i >= 0; i-- {
		if !sameMessage(a.Messages[i], b.Messages[i]) {
			return false
		}
	}
	return bytes.Equal(a.ResponseFormat, b.ResponseFormat) && bytes.Equal(a.Tools, b.Tools) && bytes.Equal(a.ToolChoice, b.ToolChoice)
}

func sameTokens(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func sameMessage(a, b resolver.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.ToolCallID == b.ToolCallID && slices.Equal(a.ToolCalls, b.ToolCalls)
}
