package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

func TestLoop_EndsWithOneStopReason(t *testing.T) {
	fault := &resolver.FaultError{Fault: "get_order:timeout", Err: resolver.ErrTimeout}
	slow, dear := look(ownOrder), look(ownOrder)
	slow.Latency = 121 * time.Second
	dear.InputTokens = 500_000
	orders := func(n int) (answers []resolver.ModelResponse) {
		for i := range n {
			answers = append(answers, call("search_policy", `{"query":"word `+strings.Repeat("x", i)+`"}`))
		}
		return answers
	}
	for _, c := range []struct {
		name    string
		answers []resolver.ModelResponse
		fail    map[string][]error
		status  resolver.Status
		reason  string
		steps   int
		codes   string // The codes of the evidence, a dash for a success.
	}{
		{"a refund waits", []resolver.ModelResponse{look(ownOrder), finish("resolve", refund(ownOrder, "9.95"))}, nil,
			resolver.WaitingApproval, agent.StopFinished, 2, "-"},
		{"a reply is done", []resolver.ModelResponse{finish("reply_only")}, nil, resolver.Done, agent.StopFinished, 1, ""},
		{"a question is done", []resolver.ModelResponse{finish("ask_customer")}, nil, resolver.Done, agent.StopFinished, 1, ""},
		{"handed over", []resolver.ModelResponse{finish("hand_to_person")}, nil, resolver.HandedToPerson, agent.StopFinished, 1, ""},
		{"nine steps", orders(9), nil, resolver.Stopped, agent.StopMaxSteps, 8, "- - - - - - - -"},
		{"the eighth may finish", append(orders(7), finish("reply_only")), nil, resolver.Done, agent.StopFinished, 8, "- - - - - - -"},
		{"too slow", []resolver.ModelResponse{slow, finish("reply_only")}, nil, resolver.Stopped, agent.StopTime, 1, "-"},
		{"too dear", []resolver.ModelResponse{dear, finish("reply_only")}, nil, resolver.Stopped, agent.StopCost, 1, "-"},
		{"repeated call", []resolver.ModelResponse{look(ownOrder), look(ownOrder), finish("reply_only")}, nil,
			resolver.Stopped, agent.StopRepeatedCall, 2, "-"},
		{"tried once more", []resolver.ModelResponse{look(ownOrder), look(ownOrder), finish("resolve", refund(ownOrder, "9.95"))},
			map[string][]error{"get_order": {fault}}, resolver.WaitingApproval, agent.StopFinished, 3, "timeout -"},
		{"tried twice more", []resolver.ModelResponse{look(ownOrder), look(ownOrder), look(ownOrder)},
			map[string][]error{"get_order": {fault, fault}}, resolver.Stopped, agent.StopRepeatedCall, 3, "timeout timeout"},
		{"four errors", []resolver.ModelResponse{call("a", "{}"), call("b", "{}"), call("c", "{}"), call("d", "{}")}, nil,
			resolver.Stopped, agent.StopTooManyErrors, 3, "unknown_tool unknown_tool unknown_tool"},
		{"a success begins a new row", []resolver.ModelResponse{call("a", "{}"), call("b", "{}"), look(ownOrder), call("c", "{}"), call("d", "{}"), finish("reply_only")}, nil,
			resolver.Done, agent.StopFinished, 6, "unknown_tool unknown_tool - unknown_tool unknown_tool"},
		{"nothing recorded", nil, nil, resolver.Stopped, agent.StopNoRecording, 0, ""},
		{"recording ends too early", []resolver.ModelResponse{look(ownOrder)}, nil, resolver.Stopped, agent.StopNoRecording, 1, "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, saves := run(t, agent.VariantAgent, &shop{fail: c.fail}, record(t, agent.VariantAgent, c.answers...))
			if s.Status != c.status || s.StopReason != c.reason || s.Step != c.steps || saves != c.steps {
				t.Errorf("%s, %s, %d steps, %d saves; want %s, %s, %d", s.Status, s.StopReason, s.Step, saves, c.status, c.reason, c.steps)
			}
			if got := codes(s); got != c.codes {
				t.Errorf("evidence %q, want %q", got, c.codes)
			}
			stops := 0
			for _, e := range s.Events {
				if e.Kind == "stop" {
					stops++
				}
			}
			if stops != 1 || (s.Proposal != nil) != (c.reason == agent.StopFinished) {
				t.Errorf("%d stops, proposal %v:\n%s", stops, s.Proposal, strings.Join(trace(s), "\n"))
			}
		})
	}
}

func codes(s *resolver.TaskState) string {
	list := []string{}
	for _, e := range s.Evidence {
		if e.OK {
			list = append(list, "-")
		} else {
			list = append(list, e.Code)
		}
	}
	return strings.Join(list, " ")
}

type failing struct{ err error }

func (f failing) Complete(context.Context, resolver.ModelRequest) (resolver.ModelResponse, error) {
	return resolver.ModelResponse{}, f.err
}

func TestLoop_ProviderError(t *testing.T) {
	for _, err := range []error{&resolver.ModelError{Code: agent.StopProviderError, Message: "status 500: no"}, errors.New("refused\x1b[2J")} {
		s, _ := run(t, agent.VariantAgent, &shop{}, failing{err})
		if s.Status != resolver.Stopped || s.StopReason != agent.StopProviderError || s.Usage.ModelCalls != 0 {
			t.Errorf("%s, %s, %+v", s.Status, s.StopReason, s.Usage)
		}
		if strings.Contains(strings.Join(trace(s), ""), "\x1b") {
			t.Error("a terminal escape stands in the trace")
		}
	}
}

// A wrong step is a result that the model sees, and the next right step goes on.
func TestLoop_RefusesWrongSteps(t *testing.T) {
	good := refund(ownOrder, "9.95")
	two := call("get_order", `{"order_id":"LK-100001"}`)
	two.ToolCalls = append(two.ToolCalls, two.ToolCalls[0])
	refusal := resolver.ModelResponse{Refusal: "I can't"}
	for _, c := range []struct {
		name   string
		answer resolver.ModelResponse
		code   string
		says   string
	}{
		{"no tool call", says("Let me think"), "no_step", "0 tool calls"},
		{"two tool calls", two, "no_step", "2 tool calls"},
		{"a refusal", refusal, "no_step", "refused"},
		{"a giant answer", call("finish", `"`+strings.Repeat("x", 70_000)+`"`), "no_step", "bytes"},
		{"unknown tool", call("request_refund", `{"order_id":"LK-100001"}`), "unknown_tool", "request_refund"},
		{"unknown tool with an escape", call("\x1b[2Jrm", `{}`), "unknown_tool", `\x1b[2Jrm`},
		{"arguments that are no JSON", call("get_order", `{"order_id":`), "invalid_arguments", "not one JSON object"},
		{"a missing argument", call("get_order", `{}`), "invalid_arguments", `"order_id" is missing`},
		{"an extra argument", call("get_customer_orders", `{"customer_id":"C-2"}`), "invalid_arguments", `"customer_id" has no place`},
		{"a name in another case", call("get_order", `{"Order_ID":"LK-100001"}`), "invalid_arguments", "missing"},
		{"a field twice", call("get_order", `{"order_id":"LK-100001","order_id":"LK-200001"}`), "invalid_arguments", "twice"},
		{"no order id", call("get_order", `{"order_id":"100001"}`), "invalid_arguments", "six digits"},
		{"a number for an order", call("get_order", `{"order_id":100001}`), "invalid_arguments", "not a text"},
		{"a short query", call("search_policy", `{"query":"ab"}`), "invalid_arguments", "3 to 200"},
		{"a long query", call("search_policy", `{"query":"`+strings.Repeat("a", 201)+`"}`), "invalid_arguments", "3 to 200"},
		{"a query with an escape", call("search_policy", `{"query":"late\u001b[2J"}`), "invalid_arguments", "plain"},
		{"another customer's order", look(foreignOrder), "not_found", foreignOrder},
		{"an order that isn't there", look(missingOrder), "not_found", missingOrder},
		{"an order never looked up", finish("resolve", refund(secondOrder, "9.95")), "invalid_resolution", "was not looked up"},
		{"an action on another's order", finish("resolve", refund(foreignOrder, "9.95")), "invalid_resolution", "was not looked up"},
		{"two identical actions", finish("resolve", good, refund(ownOrder, "9.950")), "invalid_resolution", "identical"},
		{"three decimals", finish("resolve", refund(ownOrder, "9.955")), "invalid_resolution", "decimals"},
		{"resolve without actions", finish("resolve"), "invalid_resolution", "resolve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			recorded := record(t, agent.VariantAgent, look(ownOrder), c.answer, finish("resolve", good))
			s, _ := run(t, agent.VariantAgent, &shop{}, recorded)
			if s.Status != resolver.WaitingApproval || s.Step != 3 || len(s.Evidence) != 2 {
				t.Fatalf("%s after %d steps:\n%s", s.Status, s.Step, strings.Join(trace(s), "\n"))
			}
			e := s.Evidence[1]
			if e.OK || e.Code != c.code || !strings.Contains(unquote(string(e.Result)), c.says) {
				t.Errorf("evidence %s %s %s, want %s with %q", e.Tool, e.Code, e.Result, c.code, c.says)
			}
			last := s.Messages[len(s.Messages)-2]
			if !strings.Contains(last.Content, `"ok":false`) || !strings.Contains(unquote(last.Content), c.says) {
				t.Errorf("the model sees %s", last.Content)
			}
			if calls := agent.ToolCalls(s); calls != 1 && c.code != "not_found" {
				t.Errorf("%d calls reached a service", calls)
			}
		})
	}
}

// unquote undoes the escapes of texts inside JSON, enough to compare.
func unquote(s string) string {
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s)
}

// Somebody else's order and one that does not exist must be told apart by nothing that the model sees.
func TestLoop_ForeignAndMissingOrderLookAlike(t *testing.T) {
	message := func(order string) string {
		s, _ := run(t, agent.VariantAgent, &shop{}, record(t, agent.VariantAgent, look(order), finish("hand_to_person")))
		return strings.ReplaceAll(s.Messages[len(s.Messages)-2].Content, order, "LK-X")
	}
	if foreign, missing := message(foreignOrder), message(missingOrder); foreign != missing {
		t.Errorf("%s\n%s", foreign, missing)
	}
}

func TestLoop_StructuredSteps(t *testing.T) {
	finished := stepText("finish", "null", "null", resolution("resolve", refund(ownOrder, "9.95")))
	for _, c := range []struct {
		name    string
		content string
		code    string
	}{
		{"read", stepText("get_payments", `"LK-100001"`, "null", "null"), ""},
		{"search", stepText("search_policy", "null", `"late parcels"`, "null"), ""},
		{"orders", stepText("get_customer_orders", "null", "null", "null"), ""},
		{"no JSON", "I will look", "no_step"},
		{"two objects", finished + finished, "no_step"},
		{"a list", "[]", "no_step"},
		{"a missing field", `{"plan":[],"tool":"get_customer_orders","order_id":null,"query":null}`, "no_step"},
		{"an extra field", `{"plan":[],"tool":"get_customer_orders","order_id":null,"query":null,"resolution":null,"system":1}`, "no_step"},
		{"unknown tool", stepText("shell", "null", "null", "null"), "unknown_tool"},
		{"tool is null", `{"plan":[],"tool":null,"order_id":null,"query":null,"resolution":null}`, "unknown_tool"},
		{"an argument too many", stepText("get_customer_orders", `"LK-100001"`, "null", "null"), "invalid_arguments"},
		{"an argument too few", stepText("get_order", "null", "null", "null"), "invalid_arguments"},
		{"a resolution too early", stepText("get_order", `"LK-100001"`, "null", resolution("reply_only")), "invalid_arguments"},
		{"finish with an order", stepText("finish", `"LK-100001"`, "null", resolution("reply_only")), "invalid_arguments"},
		{"a plan that is no list", `{"plan":"x","tool":"get_customer_orders","order_id":null,"query":null,"resolution":null}`, "invalid_arguments"},
		{"a plan of numbers", `{"plan":[1],"tool":"get_customer_orders","order_id":null,"query":null,"resolution":null}`, "invalid_arguments"},
		{"a plan with an escape", `{"plan":["\u001b]0;x\u0007"],"tool":"get_customer_orders","order_id":null,"query":null,"resolution":null}`, "invalid_arguments"},
		{"a plan too long", `{"plan":["a","a","a","a","a","a","a","a","a","a","a"],"tool":"get_customer_orders","order_id":null,"query":null,"resolution":null}`, "invalid_arguments"},
		{"an order never looked up", stepText("finish", "null", "null", resolution("resolve", refund(secondOrder, "1"))), "invalid_resolution"},
	} {
		t.Run(c.name, func(t *testing.T) {
			recorded := record(t, agent.VariantStructured, says(stepText("get_order", `"LK-100001"`, "null", "null")), says(c.content), says(finished))
			s, _ := run(t, agent.VariantStructured, &shop{}, recorded)
			if s.Status != resolver.WaitingApproval || s.Step != 3 || s.Evidence[1].Code != c.code {
				t.Fatalf("%s, code %q:\n%s", s.Status, s.Evidence[1].Code, strings.Join(trace(s), "\n"))
			}
			if diff := cmp.Diff([]string{"look"}, s.Plan); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A failed read is a result with a code, and what went wrong inside stays inside.
func TestLoop_ReadFailures(t *testing.T) {
	for _, c := range []struct {
		err  error
		code string
	}{
		{resolver.ErrTimeout, "timeout"},
		{resolver.ErrUnavailable, "unavailable"},
		{&resolver.RefusedError{Code: "denied", Message: "not for you"}, "denied"},
		{&resolver.FaultError{Fault: "get_order:unavailable", Err: resolver.ErrUnavailable}, "unavailable"},
		{errors.New("open /srv/secret.sqlite: no such file"), "unavailable"},
	} {
		s, _ := run(t, agent.VariantAgent, &shop{fail: map[string][]error{"get_order": {c.err}}},
			record(t, agent.VariantAgent, look(ownOrder), finish("hand_to_person")))
		if s.Status != resolver.HandedToPerson || codes(s) != c.code {
			t.Errorf("%v: %s, %s", c.err, s.Status, codes(s))
		}
		var fault *resolver.FaultError
		if errors.As(c.err, &fault) != (len(s.FaultsSeen) == 1) {
			t.Errorf("%v: faults seen %v", c.err, s.FaultsSeen)
		}
		if strings.Contains(s.Messages[3].Content, "secret") {
			t.Errorf("the model sees %s", s.Messages[3].Content)
		}
	}
}

func TestLoop_Trace(t *testing.T) {
	answers := []resolver.ModelResponse{look(ownOrder), call("get_payments", `{"order_id":"LK-100001"}`), finish("resolve", refund(ownOrder, "119"))}
	s, _ := run(t, agent.VariantAgent, &shop{}, record(t, agent.VariantAgent, answers...))
	want := []string{
		"1 model get_order | 100 in, 10 out | 0.000 s",
		"1 note the request differs from the recorded one",
		"1 tool get_order LK-100001 -> ok",
		"2 model get_payments | 100 in, 10 out | 0.000 s",
		"2 note the request differs from the recorded one",
		"2 tool get_payments LK-100001 -> ok",
		"3 model finish | 100 in, 10 out | 0.000 s",
		"3 note the request differs from the recorded one",
		"3 proposal resolve (W2): request_refund LK-100001",
		"3 stop finished",
	}
	if diff := cmp.Diff(want, trace(s)); diff != "" {
		t.Error(diff)
	}
}

func TestLoop_WrongRun(t *testing.T) {
	loop := &agent.Loop{Model: failing{}, Services: (&shop{}).services()}
	for name, s := range map[string]*resolver.TaskState{
		"another ticket":  resolver.NewState(resolver.Ticket{ID: "T-2", CustomerID: "C-1"}, "r", agent.VariantAgent, "m", 1),
		"unknown variant": resolver.NewState(ticket, "r", "single_call", "m", 1),
	} {
		if err := loop.Run(context.Background(), ticket, s, nil); !errors.Is(err, agent.ErrWrongRun) || len(s.Messages) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errKilled = errors.New("killed")

// Killed after any step, the run goes on from what was saved, and nothing tells it from one that lived.
func TestLoop_KilledAfterEachStep(t *testing.T) {
	answers := []resolver.ModelResponse{call("nope", "{}"), look(ownOrder), look(secondOrder), finish("resolve", refund(ownOrder, "9.95"), refund(secondOrder, "1"))}
	fail := func() map[string][]error { return map[string][]error{"get_order": {}} }
	recorded := record(t, agent.VariantAgent, answers...)
	whole, _ := run(t, agent.VariantAgent, &shop{fail: fail()}, recorded)
	want, err := resolver.EncodeState(whole)
	if err != nil {
		t.Fatal(err)
	}
	for kill := 1; kill <= len(answers); kill++ {
		world := &shop{fail: fail()}
		loop := &agent.Loop{Model: recorded, Services: world.services()}
		var saved []byte
		save := func(_ context.Context, s *resolver.TaskState) (err error) {
			if saved, err = resolver.EncodeState(s); err == nil && s.Step == kill {
				err = errKilled
			}
			return err
		}
		s := resolver.NewState(ticket, "run-1", agent.VariantAgent, "chat-small", 1)
		if err := loop.Run(context.Background(), ticket, s, save); !errors.Is(err, errKilled) {
			t.Fatalf("kill after %d: %v", kill, err)
		}
		back, err := resolver.DecodeState(saved)
		if err != nil {
			t.Fatal(err)
		}
		if back.Status == resolver.Running {
			if err := loop.Run(context.Background(), ticket, back, nil); err != nil {
				t.Fatal(err)
			}
		}
		got, err := resolver.EncodeState(back)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("kill after %d:\n%s", kill, diff)
		}
		if len(world.asked) != 2 {
			t.Errorf("kill after %d: asked %v", kill, world.asked)
		}
	}
}

// A cancelled context ends the loop with its error and no stop reason: the run goes on later.
func TestLoop_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := resolver.NewState(ticket, "r", agent.VariantAgent, "chat-small", 1)
	loop := &agent.Loop{Model: record(t, agent.VariantAgent, look(ownOrder), finish("reply_only")), Services: (&shop{}).services()}
	err := loop.Run(ctx, ticket, s, func(context.Context, *resolver.TaskState) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) || s.Status != resolver.Running || s.StopReason != "" || s.Step != 1 {
		t.Errorf("%v, %s, step %d", err, s.Status, s.Step)
	}
}
