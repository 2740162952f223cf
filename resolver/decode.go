package resolver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// defaulted lists the fields that later builds added, by their JSON path: rows saved before them load
// with the zero value. Every new required field of a saved state goes here.
var defaulted = []string{"faults_seen", "operations"}

// EncodeState returns the saved form of a state, one JSON document.
//
// Raw JSON inside it, such as a tool's result, keeps its bytes: the evidence's digest is taken over them.
func EncodeState(s *TaskState) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// EncodeReadable returns EncodeState's form of a state that DecodeState reads again. It finds out without
// reading the text back, which would cost a save more than all the rest.
//
// Errors: ErrBadState for what can't be encoded, or would not be read again.
func EncodeReadable(s *TaskState) ([]byte, error) {
	text, err := EncodeState(s)
	if err == nil {
		err = requireSense(s)
	}
	if field := nullField(s); err == nil && field != "" {
		err = fmt.Errorf("field %s is null", field)
	}
	if err == nil && tooDeep(text) {
		err = errors.New("field evidence: nested too deeply")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadState, err)
	}
	return text, nil
}

// maxDepth is how deep encoding/json reads.
const maxDepth = 10_000

// tooDeep reports whether a text of ours can't be read for its depth: a result may be as deep as a document,
// but not inside one. Few texts have as many brackets, so few are read.
func tooDeep(text []byte) bool {
	brackets := bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
	return brackets > maxDepth && !json.Valid(text)
}

// nullField returns the path of the first value that is saved as null where requireFields wants another,
// empty when there is none. It is written out by hand because it runs at every save; a test empties each
// field in turn.
func nullField(s *TaskState) string {
	switch {
	case s.Plan == nil:
		return "plan"
	case s.Evidence == nil:
		return "evidence"
	case s.Messages == nil:
		return "messages"
	case s.Proposal != nil && s.Proposal.Actions == nil:
		return "proposal.actions"
	case s.Events == nil:
		return "events"
	}
	for i, e := range s.Evidence {
		switch {
		case isNull(e.Arguments):
			return fmt.Sprintf("evidence[%d].arguments", i)
		case isNull(e.Result):
			return fmt.Sprintf("evidence[%d].result", i)
		}
	}
	return ""
}

func isNull(raw json.RawMessage) bool { return raw == nil || string(bytes.TrimSpace(raw)) == "null" }

// DecodeState returns the state in one saved document.
//
// Errors: a document that is not JSON, lacks a field, has one of the wrong type or one that this build
// does not know returns an error that wraps ErrBadState and names the field.
func DecodeState(data []byte) (*TaskState, error) {
	var s TaskState
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBadState, describeDecode(data, err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows the document", ErrBadState)
	}
	if !asEncoded(&s, data) {
		if err := requireFields(data, reflect.TypeFor[TaskState](), ""); err != nil {
			return nil, fmt.Errorf("%w: %s", ErrBadState, err)
		}
	}
	if err := requireSense(&s); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBadState, err)
	}
	fillDefaults(&s)
	return &s, nil
}

// asEncoded reports whether a document is what this build would save of what it read from it: then no field
// is missing, none is unknown, and requireFields, which reads it all again and again, need not look.
func asEncoded(s *TaskState, data []byte) bool {
	again, err := EncodeState(s)
	return err == nil && bytes.Equal(again, data) && nullField(s) == ""
}

// requireSense reports what no run could have saved, though every field is there and of its type.
func requireSense(s *TaskState) error {
	switch {
	case !s.Status.Known():
		return fmt.Errorf("field status: %q is no status of a run", s.Status)
	case s.Proposal == nil && (s.Status == WaitingApproval || s.Status == Executing):
		return fmt.Errorf("field proposal is missing, and the run is %s", s.Status)
	case s.Approval == nil && s.Status == Executing:
		return fmt.Errorf("field approval is missing, and the run is %s", s.Status)
	case s.Step < 0:
		return fmt.Errorf("field step: %d is below 0", s.Step)
	case s.Usage.ModelCalls < 0 || s.Usage.InputTokens < 0 || s.Usage.OutputTokens < 0 || s.Usage.CostMicros < 0:
		return fmt.Errorf("field usage: a count is below 0")
	}
	for i, op := range s.Operations {
		if op.Attempts < 0 {
			return fmt.Errorf("field operations[%d].attempts: %d is below 0", i, op.Attempts)
		}
		switch op.Status {
		case OperationPending, OperationDone, OperationFailed, OperationUnknown:
		default:
			return fmt.Errorf("field operations[%d].status: %q is no status of an operation", i, op.Status)
		}
	}
	return nil
}

func fillDefaults(s *TaskState) {
	if s.FaultsSeen == nil {
		s.FaultsSeen = []string{}
	}
	if s.Operations == nil {
		s.Operations = []Operation{}
	}
}

func describeDecode(data []byte, err error) string {
	text := strings.TrimPrefix(err.Error(), "json: ")
	if field, ok := strings.CutPrefix(text, "unknown field "); ok {
		return newerField(strings.Trim(field, `"`))
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		text = fmt.Sprintf("a %s stands where a %s belongs", wrong.Value, wrong.Type)
	}
	if path := misfit(data, reflect.TypeFor[TaskState](), ""); path != "" {
		return fmt.Sprintf("field %s: %s", path, text)
	}
	return text
}

func newerField(name string) string {
	return fmt.Sprintf("field %s is not known to this build (saved by a newer one?)", name)
}

// misfit returns the path of the first value that can't be read as its type: errors of a type that reads
// itself, such as a time, don't say where they come from.
func misfit(data []byte, t reflect.Type, path string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if json.Unmarshal(data, reflect.New(t).Interface()) == nil {
		return ""
	}
	var fields map[string]json.RawMessage
	var items []json.RawMessage
	switch {
	case plainStruct(t) && json.Unmarshal(data, &fields) == nil:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if value, ok := fields[name]; ok {
				if at := misfit(value, f.Type, join(path, name)); at != "" {
					return at
				}
			}
		}
	case t.Kind() == reflect.Slice && json.Unmarshal(data, &items) == nil:
		for i, item := range items {
			if at := misfit(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); at != "" {
				return at
			}
		}
	}
	return path
}

func plainStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !t.Implements(reflect.TypeFor[json.Marshaler]())
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// requireFields walks the document beside its type and reports the first field that is missing. Fields
// marked omitempty are optional; raw JSON and maps are not looked into.
func requireFields(data []byte, t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	switch {
	case plainStruct(t):
		return requireStruct(data, t, path)
	case t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]():
		return requireItems(data, t, path)
	}
	return nil
}

func requireItems(data []byte, t reflect.Type, path string) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return fmt.Errorf("field %s: %w", path, err)
	}
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if bytes.Equal(item, []byte("null")) {
			return fmt.Errorf("field %s is null", at)
		}
		if err := requireFields(item, t.Elem(), at); err != nil {
			return err
		}
	}
	return nil
}

func requireStruct(data []byte, t reflect.Type, path string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("field %s: %w", path, err)
	}
	if err := requireEach(fields, t, path); err != nil {
		return err
	}
	// The decoder takes STATUS for status; what is left here would have been read in place of another.
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		return errors.New(newerField(join(path, name)))
	}
	return nil
}

// requireEach looks at the fields of a struct, those of an embedded one among them, and takes them out of
// the map.
func requireEach(fields map[string]json.RawMessage, t reflect.Type, path string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			if err := requireEach(fields, f.Type, path); err != nil {
				return err
			}
			continue
		}
		if name == "-" || name == "" {
			continue
		}
		at := join(path, name)
		value, present := fields[name]
		delete(fields, name)
		optional := strings.Contains(options, "omitempty") || slices.Contains(defaulted, at)
		if !present && !optional {
			return fmt.Errorf("field %s is missing", at)
		}
		if present && bytes.Equal(value, []byte("null")) && !optional {
			return fmt.Errorf("field %s is null", at)
		}
		if present {
			if err := requireFields(value, f.Type, at); err != nil {
				return err
			}
		}
	}
	return nil
}
