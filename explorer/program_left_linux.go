package explorer

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of what its descendants leave behind, also where they left its
// group.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endChildren ends this process's children, and theirs, which become its own by that.
func endChildren() {
	for hasChildren() {
		for _, c := range children() {
			_ = syscall.Kill(c.pid, syscall.SIGKILL) // it has not been waited for, so the number is its own
		}
		_, _ = syscall.Wait4(-1, nil, 0, nil)
	}
}

// childProcesses returns the children that there are, and leaves those that have ended to whoever waits for them.
// That there are none needs no look at every process.
func childProcesses() map[int]bool {
	if unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD {
		return nil
	}
	out := map[int]bool{}
	for _, c := range children() {
		out[c.pid] = true
	}
	return out
}

// newProcesses reports whether any child runs that was not there before, and whether the kernel is ending one:
// it has closed what it held, and does nothing more.
func newProcesses(before map[int]bool) (running, ending bool) {
	for _, c := range children() {
		if !before[c.pid] {
			running, ending = running || !c.exits, ending || c.exits
		}
	}
	return running, ending
}

// endLeft ends the processes that began in the children of one call of Test and outlived them: a daemon whose
// starter was killed, or that a test's set-up starts. They are known by the environment that they have from there;
// one that has overwritten its own is not found.
func endLeft(root string) {
	mark := []byte("\x00" + leftMark(root))
	const most = 50 // as often as it takes for what was ended to be gone, and for what it started meanwhile
	for range most {
		if !endMarked(mark) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// endMarked ends each process whose environment has the mark, and reports whether there were any.
func endMarked(mark []byte) (found bool) {
	marked := func(name string) bool {
		data, err := os.ReadFile(name)
		return err == nil && bytes.Contains(append([]byte{0}, data...), mark)
	}
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || !marked(name) {
			continue
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if marked(name) { // It is the one that p holds: its number is not another's by now.
			_ = p.Kill()
			found = true
		}
		_ = p.Release()
	}
	return found
}

// childProcess is a child of this process, and whether the kernel is ending it.
type childProcess struct {
	pid   int
	exits bool
}

// children reads this process's children from /proc.
func children() (out []childProcess) {
	const exiting = 4 // PF_EXITING among the flags
	self := strconv.Itoa(os.Getpid())
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // it is gone
		}
		// After the name in brackets: state, parent, group, session, terminal, its group, flags.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if len(fields) < 7 || string(fields[1]) != self {
			continue
		}
		flags, _ := strconv.ParseUint(string(fields[6]), 10, 64)
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
			out = append(out, childProcess{pid, flags&exiting != 0})
		}
	}
	return out
}
