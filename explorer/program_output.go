package explorer

import (
	"fmt"
	"runtime"
	"strings"
)

// What a life wrote helps whoever asked for this life, and whoever has one that fails undisturbed: nobody else sees
// what a child writes.

// mostOutput bounds the lines that are kept of each stream.
const mostOutput = 200

// output puts together what a process wrote to its two streams. Which line of one came before which of the other
// is not known.
func output(stdout, stderr string) string {
	var b strings.Builder
	for _, stream := range []struct{ name, text string }{{"output", stdout}, {"error", stderr}} {
		if strings.TrimSpace(stream.text) == "" {
			continue
		}
		lines := strings.Split(stream.text, "\n")
		if n := len(lines) - mostOutput; n > 0 {
			lines = append([]string{"…"}, lines[n:]...)
		}
		fmt.Fprintf(&b, "    standard %s:\n      %s\n", stream.name, strings.Join(lines, "\n      "))
	}
	return b.String()
}

// crash returns what ended a process by itself, from what it wrote to standard error: the last panic, or error of
// the runtime, and the line of the program that it came from. It is empty where there is none.
func crash(stderr string) string {
	text := "\n" + stderr
	at := max(strings.LastIndex(text, "\npanic: "), strings.LastIndex(text, "\nfatal error: "))
	if at < 0 {
		return ""
	}
	said, stack, _ := strings.Cut(text[at+1:], "\n")
	said, _, _ = strings.Cut(said, " [recovered") // the harness did that, to tell of it
	if _, stack, _ = strings.Cut(stack, "goroutine "); stack == "" {
		return ""
	}
	if where := ofProgram(stack); where != "" {
		said += " (" + shortFile(where) + ")"
	}
	return said
}

// ofProgram returns the first line of a printed stack that is the program's own: each function stands above its file.
func ofProgram(stack string) string {
	function := ""
	for line := range strings.Lines(stack) {
		file, ofFile := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "\t")
		if !ofFile {
			function = line[:max(0, strings.LastIndex(line, "("))]
			continue
		}
		file, _, _ = strings.Cut(file, " +0x")
		name, _, _ := strings.Cut(file, ".go:")
		if function != "" && !inBetween(runtime.Frame{Function: function, File: name + ".go"}) {
			return file
		}
	}
	return ""
}
