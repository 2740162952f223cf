package child

import (
	"errors"
	"io"
	"os"
	"time"
)

// report is the parent's end of the pipe on which a child says something. It ends with the child, even where a
// process that left the child's group still holds the pipe, for as long as it likes.
type report struct {
	pipe *os.File
	over func() bool // whether the child has ended
	last bool        // the child has ended: what it said is in the pipe by now
}

// newReport returns a report that asks over now and then, while there is nothing to read.
func newReport(pipe *os.File, over func() bool) *report {
	r := &report{pipe: pipe, over: over}
	r.lookLater()
	return r
}

// lookLater wakes the reader. Where a pipe knows no deadline, nobody left the group either.
func (r *report) lookLater() { _ = r.pipe.SetReadDeadline(time.Now().Add(stderrDelay)) }

func (r *report) Read(p []byte) (int, error) {
	for {
		n, err := r.pipe.Read(p)
		switch {
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return n, err
		case r.last:
			return 0, io.EOF
		}
		r.last = r.over()
		r.lookLater()
	}
}
