package story_test

import (
	"testing"

	"github.com/paytwice/paytwice/explorer/story"
)

func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"café — 日本 🏳\ufe0f\u200d🌈":       "café — 日本 🏳\ufe0f\u200d🌈", // a joiner holds an emoji together
		"a\x1b[31mb":                     `a\u001b[31mb`,
		"a\x00\r\n\tb\x7f":               `a\u0000\u000d\u000a\u0009b\u007f`,
		"\u009b2J":                       `\u009b2J`,
		"\u202eabc\u2066\u200e\ufeff":    `\u202eabc\u2066\u200e\ufeff`,
		"\U000e0041":                     `\ue0041`,
		"\u2028\ufffe":                   `\u2028\ufffe`,
		"a\xffb":                         "a\ufffdb",
		"::error::a":                     `\u003a:error::a`,
		"a ::add-mask::b":                `a \u003a:add-mask::b`,
		"std::string":                    "std::string",
		"##[error]a":                     `\u0023#[error]a`,
		"kill a.b/after#1; kill c.d/x#2": "kill a.b/after#1; kill c.d/x#2",
	} {
		got := story.Inert(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := story.Inert(got); again != got {
			t.Errorf("%q: made inert twice: %q", got, again)
		}
	}
}
