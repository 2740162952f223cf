package child

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// withSlack calls start on a thread whose sleeps the system may end later than asked, by up to slack; a
// process that start starts inherits that. 0 leaves them as they are.
func withSlack(slack time.Duration, start func() error) error {
	if slack <= 0 {
		return start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Where the system refuses, the child only wakes more often.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack), 0, 0, 0)
	defer func() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) }() // 0: the thread's own again
	return start()
}
