package reports

import "github.com/paytwice/paytwice/explorer/story"

// inert makes text from outside harmless, on one line; each format escapes its own mark-up on top.
func inert(text string) string { return story.Inert(text) }

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
func oneLine(text string) string {
	if len(text) > mostText {
		text = firstRunes(text, mostText+1) // What is cut in any case need not be made inert.
	}
	return cut(inert(text), mostText)
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
