package blackbox

import "golang.org/x/sys/unix"

// pidfdThread asks for a thread, not its process.
const pidfdThread = unix.O_EXCL

// openPidfd registers a process, and reports false for what is only a thread.
func (l *life) openPidfd(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	l.procs = append(l.procs, pid)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pidfds[pid] = fd
	if l.stopping() {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
	return true
}

// dropPidfd forgets a process that has ended. If its parent is dead too it has come to this process, as
// the nearest reaper, and is reaped here: by its descriptor, since its number may belong to another by now.
func (l *life) dropPidfd(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fd, ok := l.pidfds[pid]; ok {
		_ = unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED|unix.WNOHANG|unix.WALL, nil)
		_ = unix.Close(fd)
		delete(l.pidfds, pid)
	}
}

func (l *life) dropPidfds() {
	for _, pid := range l.procs {
		l.dropPidfd(pid)
	}
}

// descriptor returns a descriptor of this process for what a task's stands for. It is asked of the task: the first
// thread of its process may have ended, and has no descriptors then. Before Linux 6.9 only that one can be asked.
func (l *life) descriptor(t *task, fd int) (int, error) {
	pidfd, err := unix.PidfdOpen(t.tid, pidfdThread)
	if err != nil {
		process, ok := l.pidfds[t.tgid]
		if !ok {
			return -1, err
		}
		return unix.PidfdGetfd(process, fd, 0)
	}
	defer unix.Close(pidfd)
	return unix.PidfdGetfd(pidfd, fd, 0)
}
