package resolver

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The right-hand sides were printed by Python's json.dumps(value, sort_keys=True).
func TestCanonicalJSON_AsPython(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"null", nil, `null`},
		{"whole", 22, `22`},
		{"amount", pythonAmount(9_95), `9.95`},
		{"amount of dollars", pythonAmount(119_00), `119.0`},
		{"amount of dimes", pythonAmount(22_50), `22.5`},
		{"amount of cents", pythonAmount(5), `0.05`},
		{"amount ends in 0", pythonAmount(100_00), `100.0`},
		{"keys sorted, blanks", map[string]any{"b": 1, "a": nil, "B": "x", "": 0}, `{"": 0, "B": "x", "a": null, "b": 1}`},
		{"list", []any{1, "a", []any{}}, `[1, "a", []]`},
		{"empty map", map[string]any{}, `{}`},
		{"quotes", `"\/`, `"\"\\/"`},
		{"short escapes", "\n\r\t\b\f", `"\n\r\t\b\f"`},
		{"controls", "\x00\x1f\x7f", `"\u0000\u001f\u007f"`},
		{"html is not escaped", "<a>&'", `"<a>&'"`},
		{"not ASCII", "é\u2028", `"\u00e9\u2028"`},
		{"surrogates", "😀\U0010ffff", `"\ud83d\ude00\udbff\udfff"`},
		{"edges of the planes", "\uffff\U00010000", `"\uffff\ud800\udc00"`},
		{"escaped key", map[string]any{"é": 1}, `{"\u00e9": 1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := canonicalJSON(c.value); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestCanonicalJSON_OtherTypesPanic(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "int64") {
			t.Errorf("got %v", r)
		}
	}()
	canonicalJSON(int64(1))
}

// Whatever a string holds, its form is ASCII and reads back as the same string.
func propCanonicalString(t *rapid.T) {
	s := rapid.String().Draw(t, "s")
	text := canonicalJSON(s)
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			t.Fatalf("byte %#x in %q", text[i], text)
		}
	}
	var back string
	if err := json.Unmarshal([]byte(text), &back); err != nil || back != s && utf8.ValidString(s) {
		t.Fatalf("%q came back as %q: %v", s, back, err)
	}
}

func TestCanonicalJSON_String(t *testing.T) { rapid.Check(t, propCanonicalString) }
func FuzzCanonicalJSON(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(propCanonicalString)) }
