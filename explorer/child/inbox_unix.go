//go:build unix

package child

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// inbox reads the child's report so that somebody else can know when everything said so far was handled.
type inbox struct {
	file *os.File
	raw  syscall.RawConn

	mu      sync.Mutex
	news    *sync.Cond
	pending []byte // taken from the pipe and not yet read
	got     int64  // bytes taken from the pipe
	lines   int64  // of these, up to the end of the last whole line
	handled int64  // bytes of lines that were handled
	end     error
	over    bool // nobody reads any more
}

func newInbox(says *os.File) (*inbox, error) {
	raw, err := says.SyscallConn()
	if err != nil {
		return nil, err
	}
	b := &inbox{file: says, raw: raw}
	b.news = sync.NewCond(&b.mu)
	return b, nil
}

// take takes what is in the pipe, without waiting. It reports whether there is something to read.
func (b *inbox) take(fd uintptr) bool {
	if len(b.pending) > 0 || b.end != nil {
		return true
	}
	return b.more(fd)
}

func (b *inbox) more(fd uintptr) bool {
	var part [32 << 10]byte
	n, err := syscall.Read(int(fd), part[:])
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return false
	case errors.Is(err, syscall.EINTR):
		return b.more(fd)
	case err != nil:
		b.end = err
		return true
	case n == 0:
		b.end = io.EOF
		return true
	}
	b.pending = append(b.pending, part[:n]...)
	if i := bytes.LastIndexByte(part[:n], '\n'); i >= 0 {
		b.lines = b.got + int64(i) + 1
	}
	b.got += int64(n)
	return true
}

func (b *inbox) Read(p []byte) (int, error) {
	for {
		err := b.raw.Read(func(fd uintptr) bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.take(fd)
		})
		if n, err, again := b.taken(p, err); !again {
			return n, err
		}
	}
}

// taken hands out what was taken. again is true when settle woke the reader and there is nothing for it.
func (b *inbox) taken(p []byte, err error) (n int, end error, again bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	woken := errors.Is(err, os.ErrDeadlineExceeded)
	if woken {
		_ = b.file.SetReadDeadline(time.Time{})
	}
	switch {
	case len(b.pending) > 0:
		n = copy(p, b.pending)
		b.pending = b.pending[n:]
		return n, nil, false
	case b.end != nil:
		return 0, b.end, false
	default:
		return 0, err, woken
	}
}

// done says that a line was handled; over that there will be no more.
func (b *inbox) done(bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handled += int64(bytes)
	b.news.Broadcast()
}

func (b *inbox) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	b.news.Broadcast()
}

// settle waits until every whole line that is in the pipe now was handled.
func (b *inbox) settle() {
	_ = b.raw.Control(func(fd uintptr) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for b.end == nil && b.more(fd) {
		}
		// A reader that waits is not told of what somebody else took from the pipe: a deadline wakes it.
		_ = b.file.SetReadDeadline(time.Unix(1, 0))
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	for until := b.lines; b.handled < until && !b.over; {
		b.news.Wait()
	}
}
