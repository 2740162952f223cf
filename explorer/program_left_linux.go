package explorer

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of what its descendants leave behind, also where they left its
// group.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endChildren ends this process's children, and theirs, which become its own by that.
func endChildren() {
	for hasChildren() {
		stats, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, name := range stats {
			if pid := childOf(name, os.Getpid()); pid > 0 {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it has not been waited for, so the number is its own
			}
		}
		_, _ = syscall.Wait4(-1, nil, 0, nil)
	}
}

// childOf returns the process that a file of /proc tells of if it is a child of that parent, 0 otherwise.
func childOf(name string, parent int) int {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0 // it is gone
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 2 || string(fields[1]) != strconv.Itoa(parent) {
		return 0
	}
	pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
	if err != nil {
		return 0
	}
	return pid
}
