package agent

import (
	"encoding/json"
	"slices"

	"github.com/paytwice/paytwice/resolver"
)

// The two ways in which the model is asked.
const (
	// VariantAgent lets the model call tools, one call an answer.
	VariantAgent = "agent"
	// VariantStructured asks for one JSON object an answer: the plan, and the read or the resolution.
	VariantStructured = "agent_structured"
)

// Variants lists the variants, the default first.
func Variants() []string { return []string{VariantAgent, VariantStructured} }

// maxCompletionTokens is what one answer may have; the longest resolution fits twice.
const maxCompletionTokens = 1600

// request returns the model request of the next step. The messages are the state's own: nobody may change
// them or keep them without a copy.
func request(s *resolver.TaskState) resolver.ModelRequest {
	tokens := maxCompletionTokens
	body := resolver.ModelRequestBody{Model: s.Model, Messages: s.Messages, MaxCompletionTokens: &tokens}
	parts := ownParts()
	if s.Variant == VariantAgent {
		body.Tools, body.ToolChoice = parts[0], parts[2]
	} else {
		body.ResponseFormat = parts[1]
	}
	return resolver.ModelRequest{
		TicketID: s.TicketID, Variant: s.Variant, Step: s.Step + 1, Repeat: s.Repeat,
		State: StateDigest(s.Evidence), Body: body,
	}
}

// opening returns the messages with which a run begins. The ticket is one JSON object in a message of its
// own, so that nothing in its text can pass for a message.
func opening(variant string, t resolver.Ticket) []resolver.Message {
	attachments := t.Attachments
	if attachments == nil {
		attachments = []string{}
	}
	ticket := []byte(`{"ticket_id":`)
	ticket = compact.appendString(ticket, t.ID)
	ticket = append(ticket, `,"customer_id":`...)
	ticket = compact.appendString(ticket, t.CustomerID)
	ticket = append(ticket, `,"attachments":`...)
	names, err := json.Marshal(attachments)
	if err != nil {
		panic(err) // A list of texts always has a JSON form.
	}
	ticket = append(ticket, names...)
	ticket = append(ticket, `,"text":`...)
	ticket = compact.appendString(ticket, t.Text)
	ticket = append(ticket, '}')
	return []resolver.Message{
		{Role: "system", Content: systemPrompt(variant)},
		{Role: "user", Content: string(ticket)},
	}
}

func knownVariant(variant string) bool { return slices.Contains(Variants(), variant) }
