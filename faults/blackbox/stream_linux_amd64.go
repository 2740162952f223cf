package blackbox

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// drainTimeout bounds the wait for the end of an output once all the program's processes are dead.
const drainTimeout = 5 * time.Second

// stream is one output of the program on its way into a sink.
type stream struct {
	read *os.File
	sink *sink
	done chan struct{}
}

func newStream(s *sink) (*stream, int, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, -1, err
	}
	// Only our end is non-blocking: the flag belongs to the end, and the program must see a plain pipe.
	_ = unix.SetNonblock(p[0], true)
	_, _ = unix.FcntlInt(uintptr(p[1]), unix.F_SETPIPE_SZ, 256<<10)
	st := &stream{os.NewFile(uintptr(p[0]), "output"), s, make(chan struct{})}
	go func() {
		defer close(st.done)
		drain(st.read, s)
	}()
	return st, p[1], nil
}

// finish waits for the end of the stream. All writers are dead, unless one handed its end to a process
// that is none of ours.
func (s *stream) finish() (Output, []ack) {
	late := time.NewTimer(drainTimeout)
	defer late.Stop()
	select {
	case <-s.done:
	case <-late.C:
	}
	_ = s.read.Close()
	<-s.done
	return s.sink.output(), s.sink.acks
}
