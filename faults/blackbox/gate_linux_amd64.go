package blackbox

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// gate lets one ordered call be under way at a time, so that at every kill no other is half done, and on
// replay lets calls through in the recorded order, so that a kill sees the recorded prefix whatever the
// scheduler does.
//
// A recorded order may be impossible to repeat: the thread whose turn it is waits for a lock that a held
// thread owns. Then the gate opens (free), and the prefix is verified by counts alone.
type gate struct {
	order   []site // the recorded calls before the target, and the target if it is ordered; nil: any order
	next    int
	busy    *task
	waiting []*task // in order of arrival
	free    bool
}

// admit removes and returns the first waiting task whose turn it is, or nil.
func (g *gate) admit() *task {
	if g.busy != nil {
		return nil
	}
	for i, t := range g.waiting {
		if g.turnOf(t) {
			g.waiting = slices.Delete(g.waiting, i, i+1)
			return t
		}
	}
	return nil
}

func (g *gate) turnOf(t *task) bool {
	switch {
	case g.order == nil || g.free || t.at.unsure:
		return true
	case !t.at.call.ordered():
		return g.next >= len(g.order) // the target, held until all before it is done
	default:
		return g.next < len(g.order) && g.order[g.next] == t.at.call.site()
	}
}

// take marks a call as under way.
func (g *gate) take(t *task) {
	if t.at.call.ordered() {
		g.busy = t
		g.next++
	}
}

// leave forgets a task whose call is over, or that is gone.
func (g *gate) leave(t *task) {
	if g.busy == t {
		g.busy, t.coasting = nil, false
		g.names(t)
	}
	if i := slices.Index(g.waiting, t); i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
}

// names marks what waits to open a file once a call is over that may have made one, or taken one away.
func (g *gate) names(over *task) {
	if over.at.kind != kindName && (over.at.kind != kindOpen || over.at.unsure) {
		return
	}
	for _, t := range g.waiting {
		t.stale = t.at.kind == kindOpen
	}
}

// holding reports whether only the recorded order keeps a call from going on.
func (g *gate) holding() bool {
	return g.order != nil && !g.free && g.busy == nil && len(g.waiting) > 0
}

// coasts reports whether a call may go on without a stop at its exit, which halves its cost: where the same
// thread makes the next call, that one's stop shows that this one is over. If another thread comes first, probe
// asks. Which thread is next a replay knows from the recording; a recording takes the one that made the last call.
func (l *life) coasts(t *task, hit bool) bool {
	if hit || l.spec.record != nil || l.gate.free || len(l.gate.waiting) > 0 || !t.at.coasts() {
		return false
	}
	threads, i := l.res.threads, len(l.res.threads)-1
	if at := l.spec.target; at != nil {
		threads, i = at.threads, i+1
	}
	same := i > 0 && i < len(threads) && threads[i-1] == threads[i]
	return same && (l.spec.target != nil || t.at.kind != kindWrite || l.countAsked(t))
}

// countAsked counts what a write asks for in the place of what it will have written, if that is known beforehand
// and within the bound. A replay needs no count: the recording was within the bound.
func (l *life) countAsked(t *task) bool {
	after := l.res.written + int64(t.at.args[2])
	if t.at.nr != unix.SYS_WRITE && t.at.nr != unix.SYS_PWRITE64 || after < l.res.written || after > l.spec.limits.WrittenBytes {
		return false
	}
	l.res.written = after
	return true
}

// probe finds out when the call of the thread that coasts is over, for others wait: it may be seen to wait in another
// call already. If not, a signal makes it stop, one that no thread can block and that is taken back before it is
// delivered; it would end some waits with an error, so a thread that waits gets none.
func (l *life) probe() {
	b := l.gate.busy
	switch {
	case b == nil || !b.coasting || b.probed || len(l.gate.waiting) == 0:
	case b.waitsElsewhere():
		l.callOver(b)
	default:
		b.probed = unix.Tgkill(b.tgid, b.tid, unix.SIGSTOP) == nil
	}
}

// waitsElsewhere reports whether a task waits in another call than the one that it was let into last.
func (t *task) waitsElsewhere() bool {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(t.tid) + "/syscall")
	number, _, _ := strings.Cut(string(text), " ")
	nr, err := strconv.ParseUint(number, 10, 64)
	return err == nil && nr != t.at.nr
}

// isProbe reports whether the signal that a task has stopped for is our own.
func (l *life) isProbe(t *task, signal unix.Signal) bool {
	if !t.probed || signal != unix.SIGSTOP {
		return false
	}
	var info unix.Siginfo
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GETSIGINFO, uintptr(t.tid), 0, uintptr(unsafe.Pointer(&info)), 0, 0)
	const tkill = -6 // SI_TKILL
	if errno != 0 || info.Code != tkill {
		return false
	}
	t.probed = false
	return true
}

// asleep reports whether no thread but the held ones could make progress by itself.
func (l *life) asleep() bool {
	for _, t := range l.tasks {
		if slices.Contains(l.gate.waiting, t) {
			continue
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(t.tid) + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if strings.HasPrefix(rest, "R") || strings.HasPrefix(rest, "D") {
			return false
		}
	}
	return true
}

// task is one thread of the program.
type task struct {
	tid, tgid int
	fresh     bool // its first stop is still to come
	inCall    bool // let into a traced call, its exit awaited
	restarted bool // the call was interrupted and will be made again
	coasting  bool // let into a call whose exit will not be seen
	probed    bool // asked to show that its call is over
	fds       int  // the folder of its descriptors, if it is open
	stale     bool // since it came to an open, another call may have changed whether the file is there
	at        stop
}

// leader reports whether the task's id is its process's.
func (t *task) leader() bool { return t.tid == t.tgid }

// forget closes what is kept open for a task that is gone.
func (l *life) forget(t *task) {
	delete(l.tasks, t.tid)
	if l.seat.task == t {
		l.apart()
	}
	if t.fds > 0 {
		_ = unix.Close(t.fds)
	}
}

func resume(tid int, request int, signal unix.Signal) {
	// A task that was killed meanwhile is gone; its end is seen by the next wait.
	_, _, _ = unix.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), 0, uintptr(signal), 0, 0)
}
