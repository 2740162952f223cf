package blackbox

import (
	"os"
	"slices"
	"strconv"
	"strings"

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
	case g.order == nil || g.free:
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
		g.busy = nil
	}
	if i := slices.Index(g.waiting, t); i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
}

// holding reports whether only the recorded order keeps a call from going on.
func (g *gate) holding() bool {
	return g.order != nil && !g.free && g.busy == nil && len(g.waiting) > 0
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
	at        stop
}

// leader reports whether the task's id is its process's.
func (t *task) leader() bool { return t.tid == t.tgid }

func resume(tid int, request int, signal unix.Signal) {
	// A task that was killed meanwhile is gone; its end is seen by the next wait.
	_, _, _ = unix.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), 0, uintptr(signal), 0, 0)
}
