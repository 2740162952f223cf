package agent

import (
	"encoding/json"
	"sync"
)

// The tools of the loop. All but finish are reads.
const (
	toolGetOrder       = "get_order"
	toolCustomerOrders = "get_customer_orders"
	toolGetPayments    = "get_payments"
	toolSearchPolicy   = "search_policy"
	toolFinish         = "finish"
)

// The bounds on what a model may write, in characters.
const (
	minQuery    = 3
	maxQuery    = 200
	maxPlan     = 10
	maxPlanText = 200
	maxRule     = 40
	maxReply    = 2000
	maxReason   = 600
)

// actionSchema and the schemas below are what the model is told. What is enforced is in decision.go and
// resolution.go: a model that ignores its schema, or a recording that was tampered with, gets no further.
const actionSchema = `{
  "type": "object", "additionalProperties": false,
  "required": ["tool", "order_id", "sku", "quantity", "amount", "reason", "payment_id"],
  "properties": {
    "tool": {"type": "string", "enum": ["request_refund", "reship_item", "create_return_label"]},
    "order_id": {"type": "string", "pattern": "^LK-[0-9]{6}$"},
    "sku": {"type": ["string", "null"], "description": "reship_item, create_return_label"},
    "quantity": {"type": ["integer", "null"], "minimum": 1, "maximum": 10, "description": "reship_item"},
    "amount": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 5000, "multipleOf": 0.01, "description": "request_refund; dollars, to the cent"},
    "reason": {"type": ["string", "null"], "description": "refund: RFD-LATE, RFD-DAMAGE or RFD-DOUBLE; label: change_of_mind, damaged or wrong_item"},
    "payment_id": {"type": ["string", "null"], "description": "request_refund, where one payment is meant"}
  }
}`

const resolutionProperties = `
  "required": ["outcome", "rule", "actions", "reply", "reason"],
  "properties": {
    "outcome": {"type": "string", "enum": ["resolve", "reply_only", "ask_customer", "hand_to_person"]},
    "rule": {"type": "string", "maxLength": 40},
    "actions": {"type": "array", "maxItems": 4, "items": ` + actionSchema + `},
    "reply": {"type": "string", "maxLength": 2000},
    "reason": {"type": "string", "maxLength": 600}
  }`

const toolsSchema = `[
  {"type": "function", "function": {"name": "get_order", "strict": true,
    "description": "One order of this customer: dates, items, boxes, stock, earlier refunds, labels and reshipments.",
    "parameters": {"type": "object", "additionalProperties": false, "required": ["order_id"],
      "properties": {"order_id": {"type": "string", "pattern": "^LK-[0-9]{6}$"}}}}},
  {"type": "function", "function": {"name": "get_customer_orders", "strict": true,
    "description": "All orders of this customer, for a ticket that names none.",
    "parameters": {"type": "object", "additionalProperties": false, "required": [], "properties": {}}}},
  {"type": "function", "function": {"name": "get_payments", "strict": true,
    "description": "Charges, authorisations and refunds of one order.",
    "parameters": {"type": "object", "additionalProperties": false, "required": ["order_id"],
      "properties": {"order_id": {"type": "string", "pattern": "^LK-[0-9]{6}$"}}}}},
  {"type": "function", "function": {"name": "search_policy", "strict": true,
    "description": "The three passages of the support policy that fit the words best.",
    "parameters": {"type": "object", "additionalProperties": false, "required": ["query"],
      "properties": {"query": {"type": "string", "minLength": 3, "maxLength": 200}}}}},
  {"type": "function", "function": {"name": "finish", "strict": true,
    "description": "Ends the ticket. Nothing happens before a person approves the actions.",
    "parameters": {"type": "object", "additionalProperties": false,` + resolutionProperties + `}}}
]`

const stepSchema = `{"type": "json_schema", "json_schema": {"name": "step", "strict": true, "schema": {
  "type": "object", "additionalProperties": false,
  "required": ["plan", "tool", "order_id", "query", "resolution"],
  "properties": {
    "plan": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 200}},
    "tool": {"type": "string", "enum": ["get_order", "get_customer_orders", "get_payments", "search_policy", "finish"]},
    "order_id": {"type": ["string", "null"], "pattern": "^LK-[0-9]{6}$"},
    "query": {"type": ["string", "null"], "minLength": 3, "maxLength": 200},
    "resolution": {"type": ["object", "null"], "additionalProperties": false,` + resolutionProperties + `}
  }}}}`

// ownParts returns the JSON parts of the loop's requests in the form that a request key hashes.
var ownParts = sync.OnceValue(func() []json.RawMessage {
	parts := []json.RawMessage{}
	for _, part := range []string{toolsSchema, stepSchema, `"required"`} {
		canonical, err := compact.appendRaw(nil, []byte(part))
		if err != nil {
			panic(err) // The schemas are constants.
		}
		parts = append(parts, canonical)
	}
	return parts
})
