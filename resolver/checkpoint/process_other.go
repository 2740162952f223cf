//go:build !linux

package checkpoint

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// startOf returns no start: there is no portable way to ask for another process's.
func startOf(int) (string, error) { return "", nil }

// runs reports whether a process exists.
func runs(pid int, _ string) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS == "windows" { // There, finding a process is the proof that it exists.
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
