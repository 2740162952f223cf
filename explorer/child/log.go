package child

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/paytwice/paytwice/explorer/history"
)

// passLog is the file to which a child writes the points that it passes. Unlike a line on its pipe, a line there
// wakes nobody, and it is there after a kill all the same. The parent reads it when it needs to know, and when the
// child is gone.
type passLog struct {
	file *os.File
	tell func(history.Event)

	mu   sync.Mutex
	at   int64
	rest []byte // of the last line, which is not whole yet
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

func (l *passLog) read() error {
	part := make([]byte, 4<<10)
	for {
		n, err := l.file.ReadAt(part, l.at)
		l.at += int64(n)
		l.rest = append(l.rest, part[:n]...)
		if told := l.lines(); told != nil {
			return told
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(l.rest) > maxLine:
			return fmt.Errorf("a line longer than %d bytes", maxLine)
		}
	}
}

// lines tells of the whole lines, and keeps what is left.
func (l *passLog) lines() error {
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return nil
		}
		var e history.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("a line that is no message: %w", err)
		}
		l.rest = rest
		l.tell(e)
	}
}
