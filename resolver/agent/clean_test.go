package agent_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/resolver/agent"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"Grüße, 12 €":           "Grüße, 12 €",
		"two\nlines\tand a tab": "two\nlines\tand a tab",
		"\x1b[31mred\x1b[0m":    `\x1b[31mred\x1b[0m`,
		"\x1b]0;title\a":        `\x1b]0;title\x07`,
		"over\rwritten\b\x7f":   `over\x0dwritten\x08\x7f`,
		"C1 \u009b2J":           `C1 \x9b2J`,
		"\u202eoof\u2066":       `\u202eoof\u2066`,
		"bad \xff bytes":        `bad \xff bytes`,
		"kept \ufffd":           "kept \ufffd",
		"family 👩\u200d👧":       "family 👩\u200d👧",
	} {
		if got := agent.Clean(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	if got := agent.CleanLine("a\nb\tc"); got != `a\nb\tc` {
		t.Error(got)
	}
}

func cleanIsInert(t *rapid.T) {
	text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
	for _, clean := range []func(string) string{agent.Clean, agent.CleanLine} {
		got := clean(text)
		if !utf8.ValidString(got) || clean(got) != got || strings.ContainsAny(got, "\x1b\x07\x7f\r") {
			t.Fatalf("%q gives %q", text, got)
		}
	}
}

func TestClean_IsInert(t *testing.T) { rapid.Check(t, cleanIsInert) }

func FuzzClean(f *testing.F) { f.Fuzz(rapid.MakeFuzz(cleanIsInert)) }
