package reports

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inert makes text from outside harmless in every format, on one line: what a terminal, a reader or a CI
// runner would obey is shown instead. Each format escapes its own mark-up on top.
func inert(text string) string {
	var out strings.Builder
	command := runnerCommands(text)
	for i, r := range text {
		switch {
		case r == utf8.RuneError:
			out.WriteRune(utf8.RuneError)
		case obeyed(r) || command[i]:
			fmt.Fprintf(&out, "\\u%04x", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// obeyed reports runes that do something rather than show: control characters, what turns the direction of
// reading, what can't be seen, and what XML forbids. The two joiners stay: scripts and emoji need them.
func obeyed(r rune) bool {
	switch {
	case r == 0x200c || r == 0x200d:
		return false
	case r == 0x2028 || r == 0x2029 || r&0xfffe == 0xfffe:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf)
}

// runnerCommands returns where a text would give GitHub's runner, which reads every line of a log, a command:
// "::" where a line may start once text is wrapped, and the older "##[" anywhere.
func runnerCommands(text string) map[int]bool {
	var out map[int]bool
	add := func(i int) {
		if out == nil {
			out = map[int]bool{}
		}
		out[i] = true
	}
	for i := range text {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "::") && (i == 0 || isSpaceBefore(text[:i])):
			add(i)
		case strings.HasPrefix(rest, "##["):
			add(i)
		}
	}
	return out
}

func isSpaceBefore(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsSpace(r)
}

// cut shortens a text to n runes; an ellipsis says so.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// mostText is how long one text from outside may be in a report for other tools.
const mostText = 4000

// oneLine is a text from outside, inert and of bounded length.
func oneLine(text string) string { return cut(inert(text), mostText) }
