package story

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inert makes text from outside harmless in every format, on one line: what a terminal, a reader or a CI
// runner would obey is shown instead. Each format escapes its own mark-up on top.
func Inert(text string) string {
	command := runnerCommands(text)
	if command == nil && strings.IndexFunc(text, Obeyed) < 0 && utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for i, r := range text {
		if Obeyed(r) || command[i] {
			fmt.Fprintf(&out, "\\u%04x", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Obeyed reports runes that do something rather than show: control characters, what turns the direction of
// reading, what can't be seen, and what XML forbids. The two joiners stay: scripts and emoji need them.
func Obeyed(r rune) bool {
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
	if !strings.Contains(text, "::") && !strings.Contains(text, "##[") {
		return nil
	}
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
