//go:build unix

package child

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Supported reports whether processes can really be killed and their wait status read here.
const Supported = true

// ownGroup puts the child into a process group of its own, so that what it starts can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the child's whole group, which this package started.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func wasKilled(s *os.ProcessState) bool {
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// closeOnExec keeps descriptors from what this process starts.
func closeOnExec(fds ...int) {
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
}

// waitElsewhere lets the runtime's poller wait for a pipe. A goroutine that waits in a system call would keep the
// only processor that most children have, until the runtime notices.
func waitElsewhere(fd int) { _ = syscall.SetNonblock(fd, true) }

// processSpace names the space in which process numbers mean something: two containers may share a file
// system and not know each other's processes.
func processSpace() string {
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "0"
	}
	return strings.Trim(strings.TrimPrefix(space, "pid:"), "[]")
}

// gone reports whether there is certainly no process of that number.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
