package explorer

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// failedMark begins what a child reports once Run has failed the test.
const failedMark = "failed: "

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

// said keeps what the test in a child logged. It is written to what the child writes to its standard output,
// which has the lines of t.Log and t.Error among the program's own.
type said struct {
	mu    sync.Mutex
	line  []byte
	begun bool
	blind bool     // the test had failed before Run
	setUp []string // the latest lines before Run
	log   []string // the lines of the test's log since then
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
		s.line = append(s.line, part[:min(len(part), mostOfLine-len(s.line))]...)
		if whole {
			s.take(string(s.line))
			s.line = s.line[:0]
		}
		rest = after
	}
	return len(p), nil
}

// logged is a line of the test's log, whatever the program wrote before it without ending the line.
var logged = regexp.MustCompile(` {4}(\S+\.go:\d+: .*)`)

func (s *said) take(line string) {
	switch {
	case strings.HasSuffix(line, runBegins(false)), strings.HasSuffix(line, runBegins(true)):
		s.begun, s.blind = true, strings.HasSuffix(line, runBegins(true))
	case strings.HasPrefix(line, "=== "):
	case !s.begun:
		s.setUp = append(s.setUp[max(0, len(s.setUp)+1-mostLines):], line)
	case len(s.log) == mostLines:
	case strings.Contains(line, ".go:") && logged.MatchString(line):
		s.log = append(s.log, logged.FindStringSubmatch(line)[1])
	case len(s.log) > 0 && strings.HasPrefix(line, "        "):
		s.log = append(s.log, strings.TrimPrefix(line, "    "))
	}
}

// inRun returns what the test logged in Run, and whether it had failed before.
func (s *said) inRun() (log string, blind bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, "\n    "), s.blind
}

// whyNoCall returns the error of a life that ended in one, and where Run never began what the test said on its
// way there.
func (s *said) whyNoCall(err string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.begun && err == "<nil>":
		return "the process ended by itself (exit status 0) before Run returned: an os.Exit in Run"
	case s.begun:
		return err
	case err == "<nil>":
		err = "exit status 0"
	}
	text := "the test ended in the child before it came to its call: " + err
	if len(s.setUp) > 0 {
		text += "\n    " + strings.Join(s.setUp, "\n    ")
	}
	return text
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
