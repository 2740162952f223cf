package schema_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports/schema"
)

// written are the types of the documents that this module writes through package history.
var written = map[string]reflect.Type{
	"matrix":       reflect.TypeFor[history.Matrix](),
	"explore":      reflect.TypeFor[history.Exploration](),
	"explorations": reflect.TypeFor[history.Explorations](),
	"history":      reflect.TypeFor[history.History](),
	"points":       reflect.TypeFor[history.PointList](),
	"audit":        reflect.TypeFor[history.Audit](),
	"exec":         reflect.TypeFor[history.Exec](),
}

// node is what a test reads of a schema.
type node struct {
	Ref        string          `json:"$ref"`
	Type       string          `json:"type"`
	Format     string          `json:"format"`
	Properties map[string]node `json:"properties"`
	Required   []string        `json:"required"`
	Items      *node           `json:"items"`
	Defs       map[string]node `json:"$defs"`
}

func load(t *testing.T, name string) node {
	t.Helper()
	text, err := schema.Of(name)
	if err != nil {
		t.Fatal(err)
	}
	var n node
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSchemas_Types: a schema names exactly the fields of its type, and requires those that are always
// written. No document needs to show a field for its schema to be missed.
func TestSchemas_Types(t *testing.T) {
	for name, typ := range written {
		root := load(t, name)
		for _, wrong := range differences(t, root, root, typ, name) {
			t.Error(wrong)
		}
	}
}

// differences returns where a schema and a type do not agree.
func differences(t *testing.T, root, n node, typ reflect.Type, at string) []string {
	t.Helper()
	switch {
	case strings.HasPrefix(n.Ref, "#/$defs/"):
		n = root.Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
	case n.Ref != "":
		root = load(t, strings.TrimSuffix(n.Ref, ".json"))
		n = root
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return differences(t, root, n, typ.Elem(), at)
	case reflect.Slice:
		if n.Type != "array" || n.Items == nil {
			return []string{at + ": no array of items"}
		}
		return differences(t, root, *n.Items, typ.Elem(), at+"[]")
	case reflect.Struct:
		if typ == reflect.TypeFor[time.Time]() {
			if n.Format != "date-time" {
				return []string{at + ": no date-time"}
			}
			return nil
		}
		return differentFields(t, root, n, typ, at)
	case reflect.Bool:
		return typed(n, "boolean", at)
	case reflect.Int, reflect.Int64:
		return typed(n, "integer", at)
	}
	return nil
}

func typed(n node, want, at string) []string {
	if n.Type != want {
		return []string{at + ": type " + n.Type + ", want " + want}
	}
	return nil
}

func differentFields(t *testing.T, root, n node, typ reflect.Type, at string) []string {
	t.Helper()
	var out, names, required []string
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		names = append(names, name)
		if options != "omitempty" {
			required = append(required, name)
		}
		out = append(out, differences(t, root, n.Properties[name], typ.Field(i).Type, at+"."+name)...)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(n.Properties))); diff != "" {
		out = append(out, at+": fields (-type +schema):\n"+diff)
	}
	slices.Sort(required)
	slices.Sort(n.Required)
	if diff := cmp.Diff(required, n.Required, cmpopts.EquateEmpty()); diff != "" {
		out = append(out, at+": required (-type +schema):\n"+diff)
	}
	return out
}

// TestSchemas_Differences sees the comparison fail.
func TestSchemas_Differences(t *testing.T) {
	type other struct {
		Calls int      `json:"calls"`
		Note  string   `json:"note,omitempty"`
		At    []string `json:"at"`
	}
	fits := node{Type: "object", Properties: map[string]node{"calls": {Type: "integer"}, "note": {Type: "string"}, "at": {Type: "array", Items: &node{Type: "string"}}}, Required: []string{"calls", "at"}}
	if got := differences(t, fits, fits, reflect.TypeFor[other](), "x"); got != nil {
		t.Errorf("a fitting schema: %q", got)
	}
	for name, change := range map[string]func(*node){
		"a field less":     func(n *node) { delete(n.Properties, "note") },
		"a field more":     func(n *node) { n.Properties["more"] = node{} },
		"required less":    func(n *node) { n.Required = n.Required[:1] },
		"required more":    func(n *node) { n.Required = append(n.Required, "note") },
		"another type":     func(n *node) { n.Properties["calls"] = node{Type: "number"} },
		"array of nothing": func(n *node) { n.Properties["at"] = node{Type: "array"} },
	} {
		n := fits
		n.Properties, n.Required = maps.Clone(fits.Properties), slices.Clone(fits.Required)
		change(&n)
		if got := differences(t, n, n, reflect.TypeFor[other](), "x"); len(got) == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
}

// TestSchemas_Open: every schema is one, says where it is, and lets a reader's check pass a field of a later
// build.
func TestSchemas_Open(t *testing.T) {
	for _, name := range schema.Names() {
		text, err := schema.Of(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"additionalProperties": false`) {
			t.Errorf("%s: a field of a later build would break its readers", name)
		}
		var head struct{ ID, Schema, Title, Description string }
		if err := json.Unmarshal([]byte(strings.NewReplacer(`"$id"`, `"ID"`, `"$schema"`, `"Schema"`).Replace(string(text))), &head); err != nil {
			t.Fatal(err)
		}
		if head.ID != "https://github.com/paytwice/paytwice/reports/schema/"+name+".json" || head.Title == "" || !strings.Contains(head.Description, "Readers ignore fields that they don't know") {
			t.Errorf("%s: head %+v", name, head)
		}
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		meta, err := c.Compile("https://json-schema.org/draft/2020-12/schema")
		if err != nil {
			t.Fatal(err)
		}
		if err := meta.Validate(parsed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := schema.Of("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("schema of nothing: %v", err)
	}
}
