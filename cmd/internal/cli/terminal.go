package cli

import (
	"io"
	"os"
	"runtime"
)

// Style colours words. The zero value leaves them as they are.
type Style struct{ colour bool }

// StyleFor returns the style for a writer: colour only on a terminal that takes it, and never when NO_COLOR
// is set to something.
//
// Source: https://no-color.org
func StyleFor(w io.Writer, getenv func(string) string) Style {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) || getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return Style{}
	}
	// The old Windows console shows escapes as text; the newer one and every emulator name themselves.
	if runtime.GOOS == "windows" && getenv("WT_SESSION") == "" && getenv("TERM") == "" {
		return Style{}
	}
	return Style{colour: true}
}

// isTerminal takes every character device for a terminal. The others, such as /dev/null, don't mind.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Good, Bad, Open and Strong mark a word as a good end, a bad one, something unfinished and a heading.
func (s Style) Good(text string) string { return s.paint("32", text) }

// Bad marks a bad end.
func (s Style) Bad(text string) string { return s.paint("31", text) }

// Open marks something unfinished.
func (s Style) Open(text string) string { return s.paint("33", text) }

// Strong marks a heading.
func (s Style) Strong(text string) string { return s.paint("1", text) }

func (s Style) paint(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
