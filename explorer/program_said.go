package explorer

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/paytwice/paytwice/explorer/child"
)

// failedMark begins what a child reports once Run has failed the test. No program writes such an error itself.
const failedMark = "\x16failed: "

// runBegins is the line by which a child divides what the test logged on its way to the call from what it
// logs in Run. It says whether the test had failed by then.
func runBegins(failed bool) string { return fmt.Sprintf("\x16paytwice: Run begins %t", failed) }

// failures counts the tests that have failed among a test and those around it. A subtest does not know that
// Run failed the test around it, and the testing package does not let one ask.
func failures(t testing.TB) int {
	n := 0
	if t.Failed() {
		n++
	}
	inner, ok := t.(*testing.T)
	if !ok {
		return n
	}
	for at := reflect.ValueOf(inner).Elem().FieldByName("parent"); at.Kind() == reflect.Pointer && !at.IsNil(); at = at.Elem().FieldByName("parent") {
		if failed := at.Elem().FieldByName("failed"); failed.Kind() == reflect.Bool && failed.Bool() {
			n++
		}
	}
	return n
}

// stdout is where the testing package logs, wherever the test's set-up lets os.Stdout go.
var stdout = os.Stdout

// said keeps what the test in a child logged. It is written to what the child writes to its standard output,
// which has the lines of t.Log and t.Error among the program's own.
type said struct {
	mu    sync.Mutex
	line  []byte
	begun bool
	blind bool     // the test had failed before Run
	setUp []string // the latest lines before Run
	log   []string // lines of the test's log since then
	out   []string // the latest lines of any kind since then
}

// mostLines and mostOfLine bound what is kept.
const (
	mostLines  = 20
	mostOfLine = 1 << 10
)

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p; len(rest) > 0; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		part = part[max(0, len(part)-mostOfLine):] // its end, since the log may follow what has no end of line
		s.line = append(slices.Delete(s.line, 0, max(0, len(s.line)+len(part)-mostOfLine)), part...)
		if whole {
			s.take(string(s.line))
			s.line = s.line[:0]
		}
		rest = after
	}
	return len(p), nil
}

// logged is a line of the test's log, whatever the program wrote before it without ending the line. Few processes ever
// read one, so it is not made at their start.
var logged = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` {4}(\S+\.go:\d+: .*)`) })

func (s *said) take(line string) {
	if s.begun && !strings.HasPrefix(line, "=== ") {
		s.out = append(s.out[max(0, len(s.out)+1-mostOutput):], line)
	}
	switch {
	case !s.begun && strings.HasSuffix(line, runBegins(false)):
		s.begun = true
	case !s.begun && strings.HasSuffix(line, runBegins(true)):
		s.begun, s.blind = true, true
	case strings.HasPrefix(line, "=== "):
	case !s.begun:
		s.setUp = append(s.setUp[max(0, len(s.setUp)+1-mostLines):], line)
	case strings.Contains(line, ".go:") && logged().MatchString(line):
		s.keep(logged().FindStringSubmatch(line)[1])
	case len(s.log) > 0 && strings.HasPrefix(line, "        "):
		s.keep(strings.TrimPrefix(line, "    "))
	}
}

// keep keeps a line of the log: the first ones, and of the others the last, where the reason for a failure is.
func (s *said) keep(line string) {
	const first = mostLines / 4
	if len(s.log) == mostLines {
		s.log = slices.Delete(s.log, first, first+1)
		s.log[first] = "…"
	}
	s.log = append(s.log, line)
}

// inRun returns what the test logged in Run, and whether it had failed before.
func (s *said) inRun() (log string, blind bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, "\n    "), s.blind
}

// written returns what was written in Run, the last of it, whether its line has ended or not.
func (s *said) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.out
	if s.begun && len(s.line) > 0 {
		lines = append(slices.Clone(lines), string(s.line))
	}
	return strings.Join(lines, "\n")
}

// whyEnded returns the error of a life that ended in one, and where Run never began what the test said on its
// way there.
func (s *said) whyEnded(l child.Lived) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	why := crash(l.Stderr)
	switch {
	case s.begun && l.Exit == "":
		return l.Error
	case s.begun && why != "":
		return why
	case s.begun && l.Exit == "exit status 0":
		return "the process ended by itself (exit status 0) before Run returned: an os.Exit in Run"
	case s.begun && strings.HasPrefix(l.Exit, "signal: "):
		return "the process was ended from outside (" + l.Exit + ") before Run returned" + lastLine(l.Stderr)
	case s.begun:
		return "the process ended by itself (" + l.Exit + ") before Run returned: an os.Exit or a log.Fatal in Run" + lastLine(l.Stderr)
	case why == "" && l.Error == "<nil>":
		why = "exit status 0"
	}
	text := "the test ended in the child before it came to its call: " + cmp.Or(why, l.Error)
	if len(s.setUp) > 0 {
		text += "\n    " + strings.Join(s.setUp, "\n    ")
	}
	return text
}

// lastLine is the last line of what a process said, which says why where log.Fatal ended it.
func lastLine(text string) string {
	if text == "" {
		return ""
	}
	return "; the last that it wrote to standard error: " + text[strings.LastIndex(text, "\n")+1:]
}

// failedTest enters that Run failed the test, and what it said. A life that failed it and was killed before its
// end has told so at the next point that it passed.
func (l *binaryLife) failedTest() error {
	log, blind := l.said.inRun()
	returned, failed := strings.CutPrefix(l.lived.Error, failedMark)
	if failed {
		l.lived.Error = ""
	}
	l.mu.Lock()
	failed = failed || l.failedAtPoint
	l.mu.Unlock()
	switch {
	case !failed && blind && log != "":
		return fmt.Errorf("whether Run failed the test can't be told, because in this child it had failed before: does it assert on what an earlier Find returned, which is nil in the children of a later call? Make subtests of the calls. In Run it said:\n    %s", log)
	case !failed:
		return nil
	}
	if l.failed = log; log == "" {
		l.failed = "it logged nothing, as after t.Fail"
	}
	if returned != "" {
		l.failed += "\n    Run returned: " + returned
	}
	return nil
}
