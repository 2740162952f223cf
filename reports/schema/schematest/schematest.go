// Package schematest checks documents against their schemas as the project's own tests do: more strictly than
// a reader does, since here a field that the schema does not name is an error.
//
// Import rule: reports/schema of this module. It is for tests; nothing else imports it.
package schematest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/paytwice/paytwice/reports/schema"
)

// Check fails the test unless a text is one document of that name, with no field that its schema lacks.
func Check(t testing.TB, name string, document []byte) {
	t.Helper()
	if err := validate(name, document); err != nil {
		t.Errorf("%s: %v\n%.2000s", name, err, document)
	}
}

func validate(name string, document []byte) error {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, n := range schema.Names() {
		text, err := schema.Of(n)
		if err != nil {
			return err
		}
		s, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return fmt.Errorf("schema %s: %w", n, err)
		}
		closeObjects(s)
		if err := c.AddResource(address+n+".json", s); err != nil {
			return err
		}
	}
	s, err := c.Compile(address + name + ".json")
	if err != nil {
		return err
	}
	d, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return err
	}
	return s.Validate(d)
}

// address is where the schemas say that they are; nothing is fetched.
const address = "https://github.com/paytwice/paytwice/reports/schema/"

// closeObjects forbids, in place, every field that an object's schema does not name.
func closeObjects(s any) {
	switch s := s.(type) {
	case map[string]any:
		if _, ok := s["properties"].(map[string]any); ok && s["additionalProperties"] == nil {
			s["additionalProperties"] = false
		}
		for _, sub := range s {
			closeObjects(sub)
		}
	case []any:
		for _, sub := range s {
			closeObjects(sub)
		}
	}
}
