package blackbox

import (
	"golang.org/x/sys/unix"

	"github.com/paytwice/paytwice/faults"
)

// Results of a call that was interrupted by a signal and will be made again; they never reach a program.
const (
	restartFirst = -516 // ERESTART_RESTARTBLOCK
	restartLast  = -512 // ERESTARTSYS
)

const syscallStop = unix.SIGTRAP | 0x80

// event handles one report of the kernel.
func (l *life) event(pid int, ws unix.WaitStatus) {
	if ws.Exited() || ws.Signaled() {
		l.gone(pid, ws)
		return
	}
	t := l.tasks[pid]
	if t != nil && t.coasting {
		l.callOver(t)
	}
	switch {
	case !ws.Stopped():
	case t == nil:
		// A new thread may be seen before the event that announces it: it waits for that.
		l.early[pid] = true
		if l.stopping() {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	case ws.StopSignal() == unix.SIGTRAP && ws.TrapCause() > 0:
		l.traceEvent(t, ws.TrapCause())
	case l.stopping():
		// SIGKILL is on its way and ends a stopped thread too.
	case ws.StopSignal() == syscallStop:
		l.callExit(t)
	case t.fresh && ws.StopSignal() == unix.SIGSTOP:
		t.fresh = false
		resume(t.tid, unix.PTRACE_CONT, 0)
	case l.isProbe(t, ws.StopSignal()):
		resume(t.tid, unix.PTRACE_CONT, 0)
	default:
		// A signal for the program, such as the ones by which a Go runtime interrupts its own threads.
		resume(t.tid, unix.PTRACE_CONT, ws.StopSignal())
	}
}

// callOver handles any sign of a task that was let into a call without a stop at its exit: it is out.
func (l *life) callOver(t *task) {
	t.inCall = false
	l.gate.leave(t)
	l.pump()
}

func (l *life) traceEvent(t *task, event int) {
	switch event {
	case unix.PTRACE_EVENT_SECCOMP:
		if !l.stopping() {
			l.callEntry(t)
		}
		return
	case unix.PTRACE_EVENT_CLONE, unix.PTRACE_EVENT_FORK, unix.PTRACE_EVENT_VFORK:
		if tid, err := unix.PtraceGetEventMsg(t.tid); err == nil {
			l.adopt(int(tid), t)
		}
	case unix.PTRACE_EVENT_EXEC:
		// The thread that called exec has taken its process's id; its own is gone.
		if former, err := unix.PtraceGetEventMsg(t.tid); err == nil && int(former) != t.tid {
			if f := l.tasks[int(former)]; f != nil {
				l.gate.leave(f)
				if l.seat.task == f {
					l.seat.task, l.seat.last = t, t
				}
				l.forget(f)
			}
		}
		l.gate.leave(t)
		t.inCall, t.restarted = false, false
	}
	if !l.stopping() {
		resume(t.tid, unix.PTRACE_CONT, 0)
	}
}

// adopt takes on a new thread or process.
func (l *life) adopt(tid int, parent *task) {
	t := &task{tid: tid, tgid: parent.tgid, fresh: true}
	if l.openPidfd(tid) {
		t.tgid = tid
	}
	l.tasks[tid] = t
	if l.seat.task == parent {
		_ = unix.SchedSetaffinity(tid, &l.seat.mask) // it began where its parent was
	}
	if l.early[tid] {
		delete(l.early, tid)
		t.fresh = false
		if !l.stopping() {
			resume(tid, unix.PTRACE_CONT, 0)
		}
	}
}

// gone handles the end of a task. When the program itself has ended, what it left running is killed.
func (l *life) gone(pid int, ws unix.WaitStatus) {
	delete(l.early, pid)
	l.ended[pid] = ws
	t := l.tasks[pid]
	if t == nil {
		return
	}
	l.forget(t)
	l.gate.leave(t)
	if t.leader() && len(l.pidfds) > maxPidfds {
		l.dropPidfd(pid)
	}
	if l.stopping() {
		return
	}
	if pid == l.root && len(l.tasks) > 0 {
		for _, other := range l.tasks {
			if other.leader() {
				l.res.leftBehind++
			}
		}
		l.end(causeLeftBehind)
		return
	}
	l.pump()
}

// end kills everything, including what has not been announced yet.
func (l *life) end(why cause) {
	l.interrupt(why)
	for tid := range l.early {
		_ = unix.Kill(tid, unix.SIGKILL)
	}
}

// callEntry handles a stop at the entry of a traced call.
func (l *life) callEntry(t *task) {
	var info syscallInfo
	if getSyscallInfo(t.tid, &info) != nil {
		return // killed meanwhile
	}
	if info.data == stopForeign {
		l.end(causeForeign)
		return
	}
	if t.restarted && info.nr == t.at.nr {
		t.restarted = false
		resume(t.tid, unix.PTRACE_SYSCALL, 0)
		return
	}
	if t.inCall || t.restarted {
		l.gate.leave(t)
		t.inCall, t.restarted = false, false
	}
	if t.at = l.classify(t, &info); !t.at.durable && (!t.at.unsure || len(l.tasks) == 1) {
		l.pass(t)
		return
	}
	if t.at.durable {
		l.beside(t)
	}
	if !t.at.call.ordered() && !l.targets(t) {
		l.enter(t)
		return
	}
	l.gate.waiting = append(l.gate.waiting, t)
	l.pump()
	l.probe()
}

// pass lets a call through at which no point stands.
func (l *life) pass(t *task) {
	switch {
	case t.at.hidden:
		l.end(causeHidden)
	case t.at.silent:
		t.inCall = true
		resume(t.tid, unix.PTRACE_SYSCALL, 0)
	default:
		resume(t.tid, unix.PTRACE_CONT, 0)
	}
}

// lookAgain classifies again what waits to open a file while another call may have made it or taken it away: whether
// an open changes anything depends on whether the file is there when its turn comes.
func (l *life) lookAgain() {
	for i := 0; i < len(l.gate.waiting); {
		t := l.gate.waiting[i]
		if t.stale {
			t.stale = false
			t.at = l.classify(t, &syscallInfo{nr: t.at.nr, args: t.at.args})
		}
		if t.at.durable || t.at.unsure {
			i++
			continue
		}
		l.gate.leave(t)
		l.pass(t)
	}
}

// visit lets an open through that changes nothing as long as no other call does: so none is let in meanwhile.
func (l *life) visit(t *task) {
	t.inCall, l.gate.busy = true, t
	if t.coasting = len(l.gate.waiting) == 0; t.coasting {
		resume(t.tid, unix.PTRACE_CONT, 0)
		return
	}
	resume(t.tid, unix.PTRACE_SYSCALL, 0)
}

// targets reports whether a task stands at the call of the kill.
func (l *life) targets(t *task) bool {
	at := l.spec.target
	return at != nil && at.call.site() == t.at.call.site() && l.counts[at.call.site()]+1 == at.call.N
}

// pump lets in every call whose turn it is.
func (l *life) pump() {
	for !l.stopping() {
		l.lookAgain()
		t := l.gate.admit()
		if t == nil {
			return
		}
		if t.at.unsure {
			l.visit(t)
		} else {
			l.enter(t)
		}
	}
}

// enter counts a call and lets it through, or kills the program before it.
func (l *life) enter(t *task) {
	hit := l.targets(t)
	s := t.at.call.site()
	if hit && l.spec.target.position == faults.Before {
		l.victim = t.tgid
		l.end(causeKill)
		return
	}
	if l.spec.onCall != nil {
		l.spec.onCall(len(l.res.calls))
	}
	if t.at.kind == kindTime {
		var st unix.Stat_t
		if unix.Stat(t.at.path, &st) == nil {
			l.res.timed[inode{st.Dev, st.Ino}] = true
		}
	}
	l.counts[s]++
	t.at.call.N = l.counts[s]
	if at := l.spec.target; at != nil && t.at.call.N > at.known[s] {
		l.res.diverged = t.at.call
		l.end(causeDiverged)
		return
	}
	l.res.calls = append(l.res.calls, t.at.call)
	l.res.threads = append(l.res.threads, t.tid)
	if len(l.res.calls) > l.spec.limits.Calls {
		l.end(causeTooLarge)
		return
	}
	t.inCall = true
	l.gate.take(t)
	if hit {
		l.victim = t.tgid
	}
	if t.coasting = l.coasts(t, hit); t.coasting {
		resume(t.tid, unix.PTRACE_CONT, 0)
		return
	}
	resume(t.tid, unix.PTRACE_SYSCALL, 0)
}

// callExit handles the exit of a call that was let through.
func (l *life) callExit(t *task) {
	var info syscallInfo
	if !t.inCall || getSyscallInfo(t.tid, &info) != nil {
		resume(t.tid, unix.PTRACE_CONT, 0)
		return
	}
	result := info.result()
	if result >= restartFirst && result <= restartLast {
		t.restarted = true
		resume(t.tid, unix.PTRACE_CONT, 0)
		return
	}
	t.inCall = false
	l.gate.leave(t)
	if t.at.kind == kindWrite && result > 0 && t.at.call.Path != pathStdout {
		l.res.written += result
	}
	if l.spec.record != nil && !t.at.unsure {
		l.observe(t, result)
	}
	if at := l.spec.target; at != nil && at.position == faults.After && t.at.call == at.call {
		l.end(causeKill)
		return
	}
	if l.res.written > l.spec.limits.WrittenBytes {
		l.end(causeTooLarge)
		return
	}
	resume(t.tid, unix.PTRACE_CONT, 0)
	l.pump()
}
