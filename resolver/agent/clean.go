package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean returns untrusted text with everything that could steer a terminal or turn the reading direction
// written out, such as \x1b or \u202e. Line ends and tabs stay.
//
// Determinism: a pure function; cleaning twice changes nothing more.
func Clean(text string) string { return escape(text, true) }

// CleanLine returns untrusted text as Clean does, on one line: line ends and tabs are written out too.
func CleanLine(text string) string { return escape(text, false) }

func escape(text string, lines bool) string {
	first := strings.IndexFunc(text, func(r rune) bool { return unsafeRune(r, lines) || r == utf8.RuneError })
	if first < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:first])
	for i := first; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !unsafeRune(r, lines):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// unsafeRune reports control characters, the C1 ones among them, and the marks that change the direction
// in which text is shown. Line ends and tabs are safe where lines are allowed.
func unsafeRune(r rune, lines bool) bool {
	switch {
	case r == '\n' || r == '\t':
		return !lines
	case r < 0x20 || (r >= 0x7f && r <= 0x9f):
		return true
	case r == 0x061c || r == 0x200e || r == 0x200f || r == 0x2028 || r == 0x2029:
		return true
	}
	return (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069)
}

// hasUnsafe reports whether a text holds something that Clean or CleanLine would write out.
func hasUnsafe(text string, lines bool) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unsafeRune(r, lines) })
}
