package cli

import (
	"strings"
	"unicode/utf8"
)

// LineWidth is how wide lines are, where they can be.
const LineWidth = 99

// Wrap returns text as lines of at most LineWidth characters, each after indent. Line ends of the text stay;
// a word that is too long gets a line of its own.
func Wrap(text, indent string) string {
	var lines []string
	for _, paragraph := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		line := indent
		for _, word := range strings.Fields(paragraph) {
			if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > LineWidth {
				lines = append(lines, line)
				line = indent
			}
			if line != indent {
				line += " "
			}
			line += word
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// Shorten returns a text of at most n characters, with an ellipsis where some are missing.
func Shorten(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(n-1, 0)]) + "…"
}
