package blackbox

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
)

// maxLineBytes bounds the lines that are compared with the pattern of acknowledgements, and maxAcked how many are
// kept of one run. A run with a longer one, or more of them, can't be judged.
const (
	maxLineBytes = 64 << 10
	maxAcked     = 100_000
)

// Output is what a run wrote to one stream: its beginning and its end, and how much there was.
type Output struct {
	Head, Tail []byte
	Bytes      int64
}

// String returns the kept text, with a note where something is missing.
func (o Output) String() string {
	if missing := o.Bytes - int64(len(o.Head)) - int64(len(o.Tail)); missing > 0 {
		return fmt.Sprintf("%s\n[%d bytes left out]\n%s", o.Head, missing, o.Tail)
	}
	return string(o.Head) + string(o.Tail)
}

// ack is an acknowledged effect and how many bytes of the stream had been written when its line was
// complete. A line counts, not a write: some programs write a line in pieces.
type ack struct {
	effect string
	end    int64
}

// sink takes a stream: it keeps at most limit bytes of its head and of its tail, and finds the
// acknowledgements in its lines.
type sink struct {
	limit   int
	out     Output
	pattern *regexp.Regexp
	line    []byte
	cut     bool // the line was longer
	acks    []ack
	over    error // which bound of acknowledgements was reached
}

func (s *sink) Write(p []byte) (int, error) {
	s.scan(p)
	s.out.Bytes += int64(len(p))
	n := min(len(p), s.limit-len(s.out.Head))
	s.out.Head = append(s.out.Head, p[:n]...)
	if rest := p[n:]; len(rest) > 0 {
		s.out.Tail = append(s.out.Tail, rest...)
		if len(s.out.Tail) > 2*s.limit {
			s.out.Tail = append(s.out.Tail[:0], s.out.Tail[len(s.out.Tail)-s.limit:]...)
		}
	}
	return len(p), nil
}

// output returns what was kept, once the stream has ended.
func (s *sink) output() Output {
	if len(s.out.Tail) > s.limit {
		s.out.Tail = s.out.Tail[len(s.out.Tail)-s.limit:]
	}
	return s.out
}

func (s *sink) scan(p []byte) {
	if s.pattern == nil {
		return
	}
	at := s.out.Bytes
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.keep(p)
			return
		}
		s.keep(p[:i])
		at += int64(i) + 1
		if effect, ok := acknowledged(s.pattern, string(s.line)); ok {
			s.acknowledge(ack{effect, at})
		}
		s.line, s.cut, p = s.line[:0], false, p[i+1:]
	}
}

func (s *sink) acknowledge(a ack) {
	switch {
	case s.cut:
		s.over = fmt.Errorf("%w: an acknowledged line is longer than %d bytes", ErrTooLarge, maxLineBytes)
	case len(s.acks) >= maxAcked:
		s.over = fmt.Errorf("%w: a run acknowledges more than %d lines", ErrTooLarge, maxAcked)
	default:
		s.acks = append(s.acks, a)
	}
}

func (s *sink) keep(p []byte) {
	n := min(len(p), maxLineBytes-len(s.line))
	s.line, s.cut = append(s.line, p[:n]...), s.cut || n < len(p)
}

// acknowledged returns the effect that a line promises: the pattern's first group, or without groups the
// whole line.
func acknowledged(pattern *regexp.Regexp, line string) (string, bool) {
	m := pattern.FindStringSubmatch(line)
	switch {
	case m == nil:
		return "", false
	case len(m) > 1:
		return m[1], true
	default:
		return line, true
	}
}

// drain reads a stream to its end into a sink.
func drain(from io.Reader, to *sink) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		_, _ = to.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

func effectsOf(acks []ack) []string {
	var out []string
	for _, a := range acks {
		out = append(out, a.effect)
	}
	return out
}
