package history_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer/history"
)

func TestCheckKeys(t *testing.T) {
	for text, says := range map[string]string{
		`{}`: "", `[]`: "", `1`: "", `{"a":{"a":[{"a":1},{"a":2}]},"b_2-c":"A"}`: "",
		`{"a":1,"a":1}`:          `"a" is there twice in one object, the second to byte 10`,
		`[{"b":{"a":[],"a":1}}]`: `"a" is there twice`,
		`{"A":1}`:                `"A", to byte 4, is no field's name`,
		`{"ſeed":1}`:             "is no field's name", // encoding/json reads it as seed
		`{"\u0061":1,"a":2}`:     `"a" is there twice`,
		`{"a":`:                  "EOF", `{"a"`: "EOF", ``: "EOF",
	} {
		err := history.CheckKeys([]byte(text))
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

// FuzzCheckKeys: what passes has as many keys once it is read as it has in writing.
func FuzzCheckKeys(f *testing.F) {
	for _, text := range []string{`{"a":[{"b":1}],"c":null}`, `{"a":1,"a":2}`, `[[[`, `{"A":1}`, `{"a":1,"\u0061":2}`, `1 2`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var read any
		if json.Unmarshal(text, &read) != nil || history.CheckKeys(text) != nil {
			return
		}
		// Outside of strings, which are left out, a colon stands after each key and nowhere else.
		written := bytes.Count(quoted.ReplaceAll(text, nil), []byte(":"))
		if n := keysIn(read); n != written {
			t.Errorf("%d keys of %d: %s", n, written, text)
		}
	})
}

var quoted = regexp.MustCompile(`"([^"\\]|\\.)*"`)

func keysIn(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			n += 1 + keysIn(inner)
		}
	case []any:
		for _, inner := range v {
			n += keysIn(inner)
		}
	}
	return n
}
