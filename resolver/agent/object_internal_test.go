package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// jsonValue draws any JSON value, with texts that need escapes.
func jsonValue(depth int) *rapid.Generator[any] {
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"`, `\`, "{", "]", ",", "é🌱", "\x01\n"})).AsAny()
	flat := rapid.OneOf(texts, rapid.Bool().AsAny(), rapid.Float64Range(-1e6, 1e6).AsAny(), rapid.Just[any](nil))
	if depth == 0 {
		return flat
	}
	inner := jsonValue(depth - 1)
	return rapid.OneOf(flat, rapid.SliceOfN(inner, 0, 3).AsAny(), rapid.MapOfN(rapid.String(), inner, 0, 3).AsAny())
}

// On objects that encoding/json takes, the fields are the same: however they are indented.
func TestMembers_AgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOfN(rapid.String(), jsonValue(3), 0, 5).Draw(t, "object")
		indent := rapid.SampledFrom([]string{"", " ", "\t\r"}).Draw(t, "indent")
		data, err := json.MarshalIndent(want, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		o, err := members(data)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		var plain map[string]any
		if err := json.Unmarshal(data, &plain); err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		for _, m := range o {
			var v any
			if err := json.Unmarshal(m.value, &v); err != nil {
				t.Fatalf("%s: %v", m.value, err)
			}
			got[m.name] = v
		}
		if diff := cmp.Diff(plain, got); diff != "" {
			t.Fatal(diff)
		}
		// Cut off anywhere, it is an error.
		if n := rapid.IntRange(0, len(data)-1).Draw(t, "cut"); n < len(data) {
			if _, err := members(data[:n]); err == nil {
				t.Fatalf("%s is taken", data[:n])
			}
		}
	})
}

func TestParseObject_Refuses(t *testing.T) {
	for _, text := range []string{"", " ", "null", "1", `"a"`, "[]", "{", "{}{}", "{} x", `{"a":1,}`, `{"a"}`, `{a:1}`, `{"a":1 "b":2}`, `{,}`, "{\"a\":\"\xff\"}", `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":tru}`} {
		if o, err := parseObject([]byte(text)); err == nil {
			t.Errorf("%q gives %v", text, o)
		}
	}
}

// The loop's own schemas are what the request key hashes, and no schema allows a field that is refused.
func TestOwnParts_AreCanonical(t *testing.T) {
	for _, part := range ownParts() {
		again, err := compact.appendRaw(nil, part)
		if err != nil || string(again) != string(part) {
			t.Errorf("%s: %v", part, err)
		}
	}
	if n := strings.Count(string(ownParts()[0]), `"additionalProperties":false`); n != 6 {
		t.Errorf("%d closed objects", n)
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{{10, "aé🌱"}, {7, "aé🌱"}, {6, "aé…"}, {3, "aé…"}, {2, "a…"}, {0, "…"}} {
		if got := shorten("aé🌱", c.n); got != c.want {
			t.Errorf("%d: %q", c.n, got)
		}
	}
}
