package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// passLog is the file to which a child writes the points that it passes. Unlike a line on its pipe, a line there
// wakes nobody, and it is there after a kill all the same. The parent reads it when it needs to know, and when the
// child is gone.
type passLog struct {
	file *os.File
	tell func(history.Event)
	now  time.Time // when the life began: the points carry no time

	mu   sync.Mutex
	at   int64
	rest []byte // of the last line, which is not whole yet
	told int    // points
	err  error
}

// catchUp tells of what was written since the last time. Errors stay: what came after one is not told.
func (l *passLog) catchUp() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = l.read()
	}
	return l.err
}

// whole tells of the rest, and returns an error if there are fewer points than the child says it reported.
func (l *passLog) whole(said int) error {
	if err := l.catchUp(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told < said {
		return fmt.Errorf("the child passed %d points, and %d of them arrived: %s", said, l.told, closesOthers)
	}
	return nil
}

func (l *passLog) read() error {
	part := make([]byte, 4<<10)
	for {
		n, err := l.file.ReadAt(part, l.at)
		l.at += int64(n)
		if told := l.lines(part[:n]); told != nil {
			return told
		}
		switch {
		case len(l.rest) > maxLine:
			return errTooLong
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// lines tells of the lines that are whole with this part, and keeps what is left.
func (l *passLog) lines(part []byte) error {
	for {
		end, rest, whole := bytes.Cut(part, []byte("\n"))
		l.rest = append(l.rest, end...)
		if !whole {
			return nil
		}
		e, err := parsePass(string(l.rest))
		if err != nil {
			return noMessage(err)
		}
		e.At = l.now
		l.rest, part = l.rest[:0], rest
		l.told++
		l.tell(e)
	}
}

// passLine is a line of the log: the point, and where the program passes it. It is not JSON because it stands
// for what happens most often, and a process that lives for milliseconds would spend some of them on that.
func passLine(p faults.Point, where string) []byte {
	return append(strconv.AppendQuote(append([]byte(p.String()), ' '), where), '\n')
}

func parsePass(line string) (history.Event, error) {
	name, quoted, _ := strings.Cut(line, " ")
	where, err := strconv.Unquote(quoted)
	if err != nil {
		return history.Event{}, fmt.Errorf("%.40q: %w", line, err)
	}
	p, err := faults.ParsePoint(name)
	return history.Event{Seam: p.Seam, Operation: p.Operation, Position: p.Position.String(), Call: p.N, Where: where}, err
}
