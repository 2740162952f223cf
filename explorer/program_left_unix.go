//go:build unix

package explorer

import (
	"os"
	"syscall"
)

// hasChildren reports whether this process has any children that run. It forgets those that have ended.
func hasChildren() bool {
	for {
		switch pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case err == syscall.EINTR || pid > 0:
		default:
			return err == nil
		}
	}
}

// endWithParent ends this process and what it started when the parent is gone without having ended it, as
// after a test's -timeout: the pipe by which the parent talks is closed then.
func endWithParent() {
	const told = 4
	fd, err := syscall.Dup(told)
	if err != nil {
		return
	}
	syscall.CloseOnExec(fd)
	pipe := os.NewFile(uintptr(fd), "parent")
	go watchParent(pipe)
}

// watchParent waits for the end of the parent.
func watchParent(pipe *os.File) {
	var b [1]byte
	if n, _ := pipe.Read(b[:]); n == 0 {
		_ = syscall.Kill(0, syscall.SIGKILL) // its own group, see package child
	}
}
