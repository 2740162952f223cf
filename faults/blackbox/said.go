package blackbox

import (
	"regexp"
	"slices"
	"strings"
)

// Where a stream shows why a program failed. A stack of Node, Java or Ruby stands below its message, and so does
// Go's; elsewhere the message is at the end.
var (
	frame     = regexp.MustCompile(`^\s+(at|from) \S`)
	goPanic   = regexp.MustCompile(`^(panic|fatal error): `)
	signature = regexp.MustCompile(`^Node\.js v\d`)
)

// lastLines returns the end of a stream, to be put behind a message; nothing where there is none. Of a stack, it
// returns the message above.
func lastLines(o Output) string {
	const most, longest = 3, 400
	lines := slices.DeleteFunc(strings.Split(o.String(), "\n"), func(l string) bool {
		return strings.TrimSpace(l) == "" || signature.MatchString(l)
	})
	if i := messageAt(lines); i >= 0 {
		lines = slices.DeleteFunc(lines[i:], frame.MatchString)
		text := joined(lines[:min(len(lines), most)])
		if len(text) > longest {
			text = text[:longest] + "..."
		}
		return text
	}
	text := joined(lines[max(0, len(lines)-most):])
	if len(text) > longest {
		text = ": ..." + text[len(text)-longest:]
	}
	return text
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.TrimSpace(strings.Join(lines, " / "))
}

// messageAt returns the line of the last message that a stack follows, -1 if there is none.
func messageAt(lines []string) int {
	for i := len(lines) - 1; i >= 0; i-- {
		above := i > 0 && frame.MatchString(lines[i]) && !frame.MatchString(lines[i-1])
		switch {
		case goPanic.MatchString(lines[i]):
			return i
		case above:
			return i - 1
		}
	}
	return -1
}
