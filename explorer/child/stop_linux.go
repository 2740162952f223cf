package child

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// CanPause reports whether a process can be stopped and woken here, with its wait status checked.
const CanPause = true

// stopped waits until a process stands still, and leaves its status to whoever waits for its end.
func stopped(pid int) error { return awaitStatus(pid, unix.WSTOPPED, cldStopped, "stopped") }

// woken waits until a process goes on.
func woken(pid int) error { return awaitStatus(pid, unix.WCONTINUED, cldContinued, "woken") }

// The codes of a child's change of status, from the system's siginfo.
const (
	cldStopped   = 5
	cldContinued = 6
)

func awaitStatus(pid, what int, want int32, word string) error {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &info, what|unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait for process %d to be %s: %w", pid, word, err)
		}
		if info.Code != want {
			return fmt.Errorf("process %d was not %s: its status is %d", pid, word, info.Code)
		}
		return nil
	}
}

// exited reports whether a child has ended, and leaves its status to whoever waits for it.
func exited(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0 // it stays 0 for one that runs
}

func stop(pid int) error { return unix.Kill(pid, unix.SIGSTOP) }

func wake(pid int) error { return unix.Kill(pid, unix.SIGCONT) }

// stopSelf stops this process until another one wakes it.
func stopSelf() error { return unix.Kill(unix.Getpid(), unix.SIGSTOP) }
