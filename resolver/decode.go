package resolver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// DecodeState returns the state in one saved document.
//
// Errors: a document that is not JSON, lacks a field, has one of the wrong type or one that this build
// does not know returns an error that wraps ErrBadState and names the field.
func DecodeState(data []byte) (*TaskState, error) {
	var s TaskState
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBadState, describeDecode(err))
	}
	if d.More() {
		return nil, fmt.Errorf("%w: something follows the document", ErrBadState)
	}
	if err := requireFields(data, reflect.TypeFor[TaskState](), ""); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrBadState, err)
	}
	if !s.Status.Known() {
		return nil, fmt.Errorf("%w: field status: %q is no status of a run", ErrBadState, s.Status)
	}
	fillDefaults(&s)
	return &s, nil
}

func fillDefaults(s *TaskState) {
	if s.FaultsSeen == nil {
		s.FaultsSeen = []string{}
	}
	if s.Operations == nil {
		s.Operations = []Operation{}
	}
}

func describeDecode(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Sprintf("field %s: a %s stands where a %s belongs", wrong.Field, wrong.Value, wrong.Type)
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	if field, ok := strings.CutPrefix(text, "unknown field "); ok {
		return fmt.Sprintf("field %s is not known to this build (saved by a newer one?)", strings.Trim(field, `"`))
	}
	return text
}

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
	case t.Kind() == reflect.Struct && !t.Implements(reflect.TypeFor[json.Marshaler]()):
		return requireStruct(data, t, path)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		var items []json.RawMessage
		if err := json.Unmarshal(data, &items); err != nil {
			return fmt.Errorf("field %s: %w", path, err)
		}
		for i, item := range items {
			if err := requireFields(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func requireStruct(data []byte, t reflect.Type, path string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("field %s: %w", path, err)
	}
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			if err := requireStruct(data, t.Field(i).Type, path); err != nil {
				return err
			}
			continue
		}
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" || name == "" {
			continue
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		value, present := fields[name]
		optional := strings.Contains(options, "omitempty") || slices.Contains(defaulted, at)
		if !present && !optional {
			return fmt.Errorf("field %s is missing", at)
		}
		if present && bytes.Equal(value, []byte("null")) && !optional {
			return fmt.Errorf("field %s is null", at)
		}
		if present {
			if err := requireFields(value, t.Field(i).Type, at); err != nil {
				return err
			}
		}
	}
	return nil
}
