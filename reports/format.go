package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/story"
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
func inert(text string) string { return story.Inert(text) }
