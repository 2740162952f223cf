package resolver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
)

// whole is a state in which every field is set.
func whole(t *testing.T) *resolver.TaskState {
	s := waiting(t, "r-1", planter, feeRefund)
	at := today.Add(time.Millisecond)
	s.Plan = []string{"look up the order", "propose"}
	s.Step = 2
	s.Evidence = []resolver.Evidence{{Tool: "get_order", Arguments: json.RawMessage(`{"a":null}`), OK: false, Code: "timeout", Result: json.RawMessage(`[null]`)}}
	s.Messages = []resolver.Message{{Role: "assistant", Content: "é", ToolCalls: []resolver.ToolCall{{ID: "c", Type: "function", Function: resolver.ToolFunction{Name: "f", Arguments: "{}"}}}, ToolCallID: "c"}}
	must(t, resolver.Approve(s, resolver.RoleAgent, "Amira", "ok", at))
	s.Operations = []resolver.Operation{{ID: "797fbb5bbb9f8a7e", Tool: feeRefund.Tool, Action: feeRefund, Status: resolver.OperationPending, Attempts: 1, RecordID: "RF-1", Error: "x", FirstCallAt: &at, LastCallAt: &at}}
	s.FaultsSeen = []string{"request_refund:timeout"}
	s.Usage = resolver.Usage{ModelCalls: 3, InputTokens: 7155, OutputTokens: 192, CostMicros: 810, CostUnknown: true, ModelTime: time.Second}
	s.StopReason, s.UpdatedAt = "x", at
	s.Log("note", "hello")
	return s
}

func TestDecodeState_WholeStateComesBack(t *testing.T) {
	s := whole(t)
	data, err := resolver.EncodeState(s)
	must(t, err)
	back, err := resolver.DecodeState(data)
	must(t, err)
	same(t, "state", back, s)
	again, err := resolver.EncodeState(back)
	must(t, err)
	same(t, "bytes", string(again), string(data))
}

// edited returns the whole state's document with the value at a path replaced; a nil value removes it.
func edited(t *testing.T, path string, value any) []byte {
	t.Helper()
	data, err := resolver.EncodeState(whole(t))
	must(t, err)
	var doc any
	must(t, json.Unmarshal(data, &doc))
	keys := strings.Split(path, ".")
	at := doc
	for _, k := range keys[:len(keys)-1] {
		switch v := at.(type) {
		case map[string]any:
			at = v[k]
		case []any:
			at = v[0]
		}
	}
	last := keys[len(keys)-1]
	switch v := at.(type) {
	case []any:
		v[0] = value
	case map[string]any:
		if v[last] = value; value == nil {
			delete(v, last)
		}
	}
	return marshal(t, doc)
}

var null = json.RawMessage("null")

func TestDecodeState_NamesTheField(t *testing.T) {
	for _, c := range []struct {
		name, path string
		value      any
		want       string
	}{
		{"missing", "run_id", nil, "field run_id is missing"},
		{"missing time", "updated_at", nil, "field updated_at is missing"},
		{"missing below", "usage.model_calls", nil, "field usage.model_calls is missing"},
		{"missing in an operation", "operations.0.attempts", nil, "field operations[0].attempts is missing"},
		{"missing in an action", "operations.0.action.order_id", nil, "field operations[0].action.order_id is missing"},
		{"missing in a proposed action", "proposal.actions.0.order_id", nil, "field proposal.actions[0].order_id is missing"},
		{"missing rollback", "proposal.actions.0.rollback", nil, "field proposal.actions[0].rollback is missing"},
		{"missing fingerprint", "approval.fingerprint", nil, "field approval.fingerprint is missing"},
		{"missing in a tool call", "messages.0.tool_calls.0.function.name", nil, "field messages[0].tool_calls[0].function.name is missing"},
		{"null", "status", null, "field status is null"},
		{"null list", "events", null, "field events is null"},
		{"null item", "operations.0", null, "field operations[0] is null"},
		{"null text in a list", "plan.0", null, "field plan[0] is null"},
		{"null time", "approval.at", null, "field approval.at is null"},
		{"wrong type", "step", "two", "field step: a string stands where a int belongs"},
		{"wrong type below", "operations.0.attempts", "one", "field operations[0].attempts: a string"},
		{"not whole", "repeat", 1.5, "field repeat: "},
		{"object for a list", "plan", map[string]any{}, "field plan: a object"},
		{"text for a time", "updated_at", "yesterday", "field updated_at: "},
		{"number for a time", "operations.0.first_call_at", 5, "field operations[0].first_call_at: "},
		{"unknown", "colour", "red", "field colour is not known"},
		{"unknown below", "usage.colour", "red", "field colour is not known"},
		{"other letters", "STATUS", "done", "field STATUS is not known"},
		{"other letters below", "proposal.actions.0.Order_ID", "LK-000000", "field proposal.actions[0].Order_ID is not known"},
		{"unknown status", "status", "asleep", `field status: "asleep"`},
		{"unknown status of an operation", "operations.0.status", "maybe", `field operations[0].status: "maybe"`},
	} {
		t.Run(c.name, func(t *testing.T) { isBad(t, edited(t, c.path, c.value), c.want) })
	}
}

func isBad(t *testing.T, data []byte, want string) {
	t.Helper()
	s, err := resolver.DecodeState(data)
	isErr(t, "decode", err, resolver.ErrBadState)
	if err == nil || !strings.Contains(err.Error(), want) || s != nil {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestDecodeState_NotOneDocument(t *testing.T) {
	good, err := resolver.EncodeState(whole(t))
	must(t, err)
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "EOF"},
		{"cut short", string(good[:len(good)/2]), "unexpected EOF"},
		{"a list", "[]", "a array stands where"},
		{"null", "null", "field status"},
		{"another behind it", string(good) + "{}", "something follows"},
		{"a bracket behind it", string(good) + "}", "something follows"},
		{"garbage behind it", string(good) + " x", "something follows"},
	} {
		t.Run(c.name, func(t *testing.T) { isBad(t, []byte(c.text), c.want) })
	}
}

// Fields that later builds added have a default: rows without them load.
func TestDecodeState_OldRows(t *testing.T) {
	for _, field := range []string{"faults_seen", "operations"} {
		t.Run(field, func(t *testing.T) {
			s, err := resolver.DecodeState(edited(t, field, nil))
			must(t, err)
			if s.FaultsSeen == nil || s.Operations == nil {
				t.Errorf("the default of %s is nil", field)
			}
		})
	}
	t.Run("kept row", func(t *testing.T) {
		data, err := os.ReadFile("testdata/old_row.json")
		must(t, err)
		s, err := resolver.DecodeState(data)
		must(t, err)
		same(t, "status", s.Status, resolver.WaitingApproval)
		same(t, "operations", s.Operations, []resolver.Operation{})
		same(t, "fingerprint", resolver.Fingerprint(s), "309b1a9be3ae200f")
	})
}

// What loads is the same after another save, and an error is always ErrBadState.
func FuzzDecodeState(f *testing.F) {
	f.Add([]byte("{}"))
	for _, name := range []string{"testdata/old_row.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := resolver.DecodeState(data)
		if err != nil {
			isErr(t, "decode", err, resolver.ErrBadState)
			return
		}
		again, err := resolver.EncodeState(s)
		if err != nil {
			return // a time beyond the year 9999 reads and doesn't write
		}
		back, err := resolver.DecodeState(again)
		must(t, err)
		third, err := resolver.EncodeState(back)
		must(t, err)
		if diff := cmp.Diff(string(again), string(third)); diff != "" {
			t.Error(fmt.Sprint("the saved form moves: ", diff))
		}
	})
}
