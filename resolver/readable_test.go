package resolver_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/resolver"
)

// agrees says whether a state is saved exactly when its text can be read again.
func agrees(s *resolver.TaskState) (says string, ok bool) {
	text, err := resolver.EncodeState(s)
	if err == nil {
		_, err = resolver.DecodeState(text)
	}
	saved, refused := resolver.EncodeReadable(s)
	switch {
	case (err == nil) != (refused == nil):
		return "decode: " + errorText(err) + "; encode: " + errorText(refused), false
	case refused != nil:
		return "not ErrBadState: " + refused.Error(), errors.Is(refused, resolver.ErrBadState)
	}
	return "another text", string(saved) == string(text)
}

func errorText(err error) string {
	if err == nil {
		return "fine"
	}
	return err.Error()
}

// emptied calls look with each value that can be nil made nil in turn, and with raw JSON that says null.
func emptied(v reflect.Value, path string, look func(path string)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice:
		old := reflect.ValueOf(v.Interface())
		v.SetZero()
		look(path)
		v.Set(old)
		if _, raw := v.Interface().(json.RawMessage); raw {
			v.Set(reflect.ValueOf(json.RawMessage(" null ")))
			look(path)
			v.Set(old)
			return
		}
		if v.Kind() == reflect.Pointer {
			emptied(v.Elem(), path, look)
			return
		}
		for i := range v.Len() {
			emptied(v.Index(i), path+"[]", look)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				emptied(v.Field(i), path+"."+v.Type().Field(i).Name, look)
			}
		}
	}
}

// A field that a save forgets to look at would lose the run: it would be saved and never read again.
func TestEncodeReadable_EmptyFields(t *testing.T) {
	s, n := whole(t), 0
	emptied(reflect.ValueOf(s).Elem(), "", func(path string) {
		n++
		if says, ok := agrees(s); !ok {
			t.Errorf("%s empty: %s", path, says)
		}
	})
	if n < 15 {
		t.Errorf("only %d fields were emptied", n)
	}
	if says, ok := agrees(s); !ok {
		t.Error("left as it is: " + says)
	}
}

func TestEncodeReadable_Depth(t *testing.T) {
	const most = 10_000 // encoding/json's
	for _, depth := range []int{100, most - 4, most - 3, most - 2, most, most + 1} {
		s := whole(t)
		s.Evidence[0].Result = json.RawMessage(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if says, ok := agrees(s); !ok {
			t.Errorf("%d deep: %s", depth, says)
		}
	}
}

// Whatever a state holds, it is saved exactly when it can be read again.
func propReadable(t *rapid.T) {
	var s resolver.TaskState
	raw := rapid.SampledFrom([]json.RawMessage{nil, {}, json.RawMessage("null"), json.RawMessage("1"), json.RawMessage("{"), json.RawMessage(`"\xff"`)})
	s.RunID, s.Status = rapid.String().Draw(t, "run"), resolver.Status(rapid.SampledFrom([]string{"running", "waiting_approval", "executing", "done", "?"}).Draw(t, "status"))
	s.Step, s.Usage.InputTokens = rapid.IntRange(-1, 3).Draw(t, "step"), rapid.IntRange(-1, 3).Draw(t, "tokens")
	for _, list := range []*[]string{&s.Plan, &s.FaultsSeen} {
		*list = rapid.SampledFrom([][]string{nil, {}, {"a\xff"}}).Draw(t, "texts")
	}
	s.Messages = rapid.SampledFrom([][]resolver.Message{nil, {}, {{}}}).Draw(t, "messages")
	s.Events = rapid.SampledFrom([][]resolver.Event{nil, {}, {{}}}).Draw(t, "events")
	s.Operations = rapid.SampledFrom([][]resolver.Operation{nil, {}, {{}}, {{Status: resolver.OperationDone}}}).Draw(t, "operations")
	s.Proposal = rapid.SampledFrom([]*resolver.Proposal{nil, {}, {Actions: []resolver.PlannedAction{{}}}}).Draw(t, "proposal")
	s.Approval = rapid.SampledFrom([]*resolver.Approval{nil, {}}).Draw(t, "approval")
	for range rapid.IntRange(0, 2).Draw(t, "reads") {
		s.Evidence = append(s.Evidence, resolver.Evidence{Arguments: raw.Draw(t, "arguments"), Result: raw.Draw(t, "result")})
	}
	if rapid.Bool().Draw(t, "evidence") && s.Evidence == nil {
		s.Evidence = []resolver.Evidence{}
	}
	if says, ok := agrees(&s); !ok {
		t.Fatal(says)
	}
}

func TestEncodeReadable(t *testing.T) { rapid.Check(t, propReadable) }
func FuzzEncodeReadable(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propReadable)) }
