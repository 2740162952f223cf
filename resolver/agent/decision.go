package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
)

// The codes of a step that the loop does not carry out. The model sees them, and each counts as an error.
const (
	codeNoStep            = "no_step"
	codeUnknownTool       = "unknown_tool"
	codeInvalidArguments  = "invalid_arguments"
	codeInvalidResolution = "invalid_resolution"
)

// maxAnswerBytes bounds an answer; the longest valid one has about a fifth of it.
const maxAnswerBytes = 64 << 10

// decision is what one answer asks for: a read with its arguments, or the proposal of finish.
type decision struct {
	tool      string
	plan      []string
	arguments json.RawMessage
	value     string // The order or the query that arguments holds.
	proposal  *resolver.Proposal
}

// wrongStep says why an answer is not carried out.
type wrongStep struct {
	tool    string
	code    string
	message string
}

func (w *wrongStep) Error() string { return w.code + ": " + w.message }

func wrong(tool, code, format string, args ...any) *wrongStep {
	return &wrongStep{tool: tool, code: code, message: fmt.Sprintf(format, args...)}
}

// decide reads an answer of the model: a decision, or why there is none. A refusal names the tool that was
// called where the answer has one call to answer to.
func decide(s *resolver.TaskState, r resolver.ModelResponse) (decision, *wrongStep) {
	size := len(r.Content)
	for _, c := range r.ToolCalls {
		size += len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments)
	}
	switch {
	case size > maxAnswerBytes:
		return decision{}, wrong("", codeNoStep, "the answer has %d bytes, more than %d", size, maxAnswerBytes)
	case r.Refusal != "":
		return decision{}, wrong("", codeNoStep, "the model refused to answer")
	case s.Variant == VariantAgent:
		return decideCall(s, r)
	default:
		return decideObject(s, r)
	}
}

func decideCall(s *resolver.TaskState, r resolver.ModelResponse) (decision, *wrongStep) {
	if n := len(r.ToolCalls); n != 1 {
		return decision{}, wrong("", codeNoStep, "the answer has %d tool calls, not one", n)
	}
	call := r.ToolCalls[0].Function
	if !knownTool(call.Name) {
		return decision{}, wrong("", codeUnknownTool, "there is no tool %q", CleanLine(shorten(call.Name, 40)))
	}
	o, err := parseObject([]byte(call.Arguments))
	if err != nil {
		return decision{}, wrong(call.Name, codeInvalidArguments, "arguments: %s", err)
	}
	if call.Name == toolFinish {
		// Some models wrap the resolution as the other variant does.
		if inner, ok := o.get("resolution"); ok && len(o) == 1 {
			if o, err = parseObject(inner); err != nil {
				return decision{}, wrong(call.Name, codeInvalidResolution, "resolution: %s", err)
			}
		}
		return finish(s, o, nil)
	}
	if argument := argumentOf(call.Name); argument != "" {
		err = o.exactly(argument)
	} else {
		err = o.exactly()
	}
	if err != nil {
		return decision{}, wrong(call.Name, codeInvalidArguments, "%s", err)
	}
	return read(call.Name, o, nil)
}

func decideObject(s *resolver.TaskState, r resolver.ModelResponse) (decision, *wrongStep) {
	if len(r.ToolCalls) > 0 {
		return decision{}, wrong("", codeNoStep, "the answer calls a tool where one JSON object is due")
	}
	o, err := parseObject([]byte(r.Content))
	if err == nil {
		err = o.exactly("plan", "tool", "order_id", "query", "resolution")
	}
	if err != nil {
		return decision{}, wrong("", codeNoStep, "%s", err)
	}
	toolText, _ := o.get("tool")
	tool, err := text(toolText)
	if err != nil || !knownTool(tool) {
		return decision{}, wrong("", codeUnknownTool, "there is no tool %s", CleanLine(shorten(string(toolText), 40)))
	}
	planText, _ := o.get("plan")
	plan, err := parsePlan(planText)
	if err != nil {
		return decision{}, wrong(tool, codeInvalidArguments, "plan: %s", err)
	}
	used := argumentOf(tool)
	if tool == toolFinish {
		used = "resolution"
	}
	for _, name := range []string{"order_id", "query", "resolution"} {
		if value, _ := o.get(name); isNull(value) == (name == used) {
			return decision{}, wrong(tool, codeInvalidArguments, "%s takes %s, and every other field is null", tool, orNothing(used))
		}
	}
	if tool != toolFinish {
		return read(tool, o, plan)
	}
	resolutionText, _ := o.get("resolution")
	inner, err := parseObject(resolutionText)
	if err != nil {
		return decision{}, wrong(tool, codeInvalidResolution, "resolution: %s", err)
	}
	return finish(s, inner, plan)
}

func orNothing(name string) string {
	if name == "" {
		return "nothing"
	}
	return name
}

func knownTool(name string) bool {
	return slices.Contains([]string{toolGetOrder, toolCustomerOrders, toolGetPayments, toolSearchPolicy, toolFinish}, name)
}

// argumentOf returns the one argument of a read, or "".
func argumentOf(tool string) string {
	switch tool {
	case toolGetOrder, toolGetPayments:
		return "order_id"
	case toolSearchPolicy:
		return "query"
	}
	return ""
}

// read checks the argument of a read and writes it in the form that evidence keeps and compares.
func read(tool string, o object, plan []string) (decision, *wrongStep) {
	d := decision{tool: tool, plan: plan, arguments: json.RawMessage("{}")}
	name := argumentOf(tool)
	if name == "" {
		return d, nil
	}
	raw, _ := o.get(name)
	value, err := text(raw)
	if err != nil {
		return d, wrong(tool, codeInvalidArguments, "%s is not a text", name)
	}
	if name == "order_id" && !resolver.IsOrderID(value) {
		return d, wrong(tool, codeInvalidArguments, "order_id is not LK- and six digits")
	}
	if name == "query" {
		if err := checkText("query", value, maxQuery, false); err != nil || utf8.RuneCountInString(value) < minQuery {
			return d, wrong(tool, codeInvalidArguments, "query is not %d to %d plain characters", minQuery, maxQuery)
		}
	}
	quoted, err := json.Marshal(value)
	if err != nil {
		return d, wrong(tool, codeInvalidArguments, "%s is not a text", name)
	}
	d.value = value
	d.arguments = json.RawMessage(`{"` + name + `":` + string(quoted) + `}`)
	return d, nil
}

func finish(s *resolver.TaskState, o object, plan []string) (decision, *wrongStep) {
	d := decision{tool: toolFinish, plan: plan}
	p, err := parseResolution(s.TicketID, o)
	if err != nil {
		return d, wrong(toolFinish, codeInvalidResolution, "%s", err)
	}
	for i, a := range p.Actions {
		// Somebody else's order and one that does not exist were refused alike when they were looked up, so
		// neither can be among those seen, and the answer here tells nothing more.
		if !s.OwnsOrder(a.OrderID) {
			return d, wrong(toolFinish, codeInvalidResolution, "action %d: %s was not looked up in this run", i+1, a.OrderID)
		}
	}
	d.proposal = p
	return d, nil
}

func parsePlan(raw json.RawMessage) ([]string, error) {
	items, err := elements(raw)
	if err != nil {
		return nil, err
	}
	if len(items) > maxPlan {
		return nil, fmt.Errorf("%d texts, more than %d", len(items), maxPlan)
	}
	plan := make([]string, 0, len(items))
	for _, item := range items {
		step, err := text(item)
		if err != nil {
			return nil, err
		}
		if err := checkText("a text", step, maxPlanText, false); err != nil {
			return nil, err
		}
		plan = append(plan, step)
	}
	return plan, nil
}

// checkText bounds a text and refuses what could steer a terminal: it is going to be shown to approvers.
func checkText(name, value string, most int, lines bool) error {
	if n := utf8.RuneCountInString(value); n > most {
		return fmt.Errorf("%s has %d characters, more than %d", name, n, most)
	}
	if hasUnsafe(value, lines) {
		return fmt.Errorf("%s holds a control character", name)
	}
	if !utf8.ValidString(value) {
		return errors.New(name + " is not UTF-8")
	}
	return nil
}
