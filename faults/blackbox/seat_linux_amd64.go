package blackbox

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// together is after how many calls in a row a thread and its tracer share a processor.
const together = 4

// seat is where a tracer works: on the processor of the thread that it stops again and again. The two take turns, and
// to wake another processor at each turn costs more than all the rest of a stop.
//
// It is one thread at a time, so that a program whose threads compute side by side still can. What a program asks for
// its processors it is told as it is without a tracer: see kindSeat.
type seat struct {
	last   *task // who made the last call, and how many in a row
	row    int
	task   *task // who shares the tracer's processor
	cpu    int
	mask   unix.CPUSet // where the task may run by itself
	own    unix.CPUSet // where the tracer may
	chosen bool        // the program chooses its processors itself
}

// processors are those that a tracer of this process shares with a thread already.
var processors struct {
	sync.Mutex
	taken map[int]bool
}

// beside notes that a thread makes a call, and brings thread and tracer together if it has made the last ones.
func (l *life) beside(t *task) {
	p := &l.seat
	if p.last != t {
		l.apart()
		p.last, p.row = t, 0
	}
	if p.row++; p.row != together || p.chosen {
		return
	}
	if unix.SchedGetaffinity(0, &p.own) != nil || unix.SchedGetaffinity(t.tid, &p.mask) != nil {
		return
	}
	var both unix.CPUSet
	for i := range both {
		both[i] = p.own[i] & p.mask[i]
	}
	cpu, ok := takeProcessor(&both)
	if !ok {
		return
	}
	var one unix.CPUSet
	one.Set(cpu)
	p.task, p.cpu = t, cpu
	if unix.SchedSetaffinity(t.tid, &one) != nil || unix.SchedSetaffinity(0, &one) != nil {
		l.apart()
	}
}

// apart lets the thread that shares the tracer's processor, and the tracer, run where they like again.
func (l *life) apart() {
	p := &l.seat
	if p.task == nil {
		return
	}
	// A thread that is gone needs no processor.
	_ = unix.SchedSetaffinity(p.task.tid, &p.mask)
	_ = unix.SchedSetaffinity(0, &p.own)
	processors.Lock()
	delete(processors.taken, p.cpu)
	processors.Unlock()
	p.task, p.last = nil, nil
}

// takeProcessor takes one of some processors that no other tracer of this process shares with a thread: the one that
// this thread runs on, or else another. With only one there is nothing to choose.
func takeProcessor(among *unix.CPUSet) (int, bool) {
	if among.Count() < 2 {
		return 0, false
	}
	var here uint32
	_, _, _ = unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&here)), 0, 0)
	processors.Lock()
	defer processors.Unlock()
	if processors.taken == nil {
		processors.taken = map[int]bool{}
	}
	size := len(among) * 64
	for i := range size {
		if cpu := (int(here) + i) % size; among.IsSet(cpu) && !processors.taken[cpu] {
			processors.taken[cpu] = true
			return cpu, true
		}
	}
	return 0, false
}
