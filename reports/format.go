package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

func formatCents(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

// WriteJSON writes a document as indented JSON.
func WriteJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// plural returns a count with its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%s %ss", thousands(n), noun)
}

// thousands groups the digits of a count.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	var out strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			out.WriteByte(',')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// inert makes text from outside harmless on a terminal: control characters are shown, not obeyed.
func inert(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			fmt.Fprintf(&out, "\\u%04x", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
