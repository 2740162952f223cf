package blackbox

import (
	"errors"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/faults"
)

// Errors of the place where the harness runs.
var (
	// ErrPlatform is returned when the system is not linux/amd64.
	ErrPlatform = errors.New("programs can be crashed from outside on linux/amd64 only, not on this platform")
	// ErrUnavailable is returned when the kernel or its settings refuse what the tracer needs; the error
	// that wraps it says what is missing.
	ErrUnavailable = errors.New("this system does not allow programs to be traced")
)

// ErrFull is returned when a program fails and the disk that its cases run on is full: it may fail for that alone.
var ErrFull = errors.New("the disk with the work folder is full; make room, or let fewer workers run at a time")

// errHidden is returned when one of the program's processes is closed to others than root.
var errHidden = fmt.Errorf("%w: a process of it hides from its own user (PR_SET_DUMPABLE, or an executable without the right to read it), "+
	"so its calls can't be told apart; run paytwice as root or with CAP_SYS_PTRACE", ErrUnavailable)

// Errors of the program under test and of its folder.
var (
	// ErrStart is returned when the program can't be started.
	ErrStart = errors.New("the program can't be started")
	// ErrFailed is returned when the undisturbed program ends with another status than 0.
	ErrFailed = errors.New("the undisturbed program failed")
	// ErrNeverEnds is returned when the undisturbed program does not end in time.
	ErrNeverEnds = errors.New("the undisturbed program did not end in time")
	// ErrNoDurableCall is returned when the undisturbed program makes no durable call: nothing to crash at.
	ErrNoDurableCall = errors.New("the program makes no durable call")
	// ErrTooLarge is returned when the template is larger than allowed, or a program writes or calls more
	// than allowed.
	ErrTooLarge = errors.New("over the size limit")
	// ErrTooDeep is returned when what a program left lies deeper in folders than a path can say.
	ErrTooDeep = errors.New("what the program left lies in folders whose path is longer than a path may be")
	// ErrForeignCall is returned when the program makes system calls that the tracer can't follow.
	ErrForeignCall = errors.New("the program makes 32-bit system calls, or a process that is not to be traced (CLONE_UNTRACED)")
	// ErrInsideWork is returned when the template holds the folder in which cases run, or the reverse.
	ErrInsideWork = errors.New("the template and the work folder hold each other")
)

// Errors of the oracles.
var (
	// ErrConfig is returned when the configuration makes no sense.
	ErrConfig = errors.New("wrong configuration")
	// ErrCheck is returned when the check command ends with another status than 0 and 1, or not at all.
	ErrCheck = errors.New("the check command could not do its work")
	// ErrAcked is returned when an acknowledged line of the undisturbed run names no effect on record.
	ErrAcked = errors.New("an acknowledged line of the undisturbed run is no effect on record")
)

// NotLandedError is returned when a kill was sent and the program's wait status does not show it.
type NotLandedError struct {
	Point  faults.Point
	Status string
}

func (e *NotLandedError) Error() string {
	return fmt.Sprintf("the kill at %s did not land: the program %s", e.Point, e.Status)
}

// NotReachedError is returned when the program ended, failed or stalled before the point of its kill.
type NotReachedError struct {
	Point  faults.Point
	Calls  int // durable calls seen
	Status string
}

func (e *NotReachedError) Error() string {
	return fmt.Sprintf("point %s was not reached: the program made %d durable calls and %s", e.Point, e.Calls, e.Status)
}

// UnstableError is returned when two undisturbed runs differ. Site is the first operation, in the order
// of the first run, that was called another number of times in the second.
type UnstableError struct {
	Site          faults.Site
	First, Second int
}

func (e *UnstableError) Error() string {
	return fmt.Sprintf("two undisturbed runs differ: %s was called %d time(s) in the first and %d in the second", e.Site, e.First, e.Second)
}

// UnstableEffectError is returned when two undisturbed runs leave different effects on record: then no end
// can be compared with them.
type UnstableEffectError struct {
	Effect        string
	Where         string
	First, Second int // how often it stands there
}

func (e *UnstableEffectError) Error() string {
	return fmt.Sprintf("two undisturbed runs differ: %q stands %d time(s) in %s after the first and %d after the second", e.Effect, e.First, e.Where, e.Second)
}

// DivergedError is returned when a run that should repeat a recorded one makes a call that the recording
// does not have.
type DivergedError struct {
	Point faults.Point
	Call  Call
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("on the way to %s the program made a call that its recording does not have: %s", e.Point, e.Call)
}

func timeoutText(d time.Duration) string { return fmt.Sprintf("was still running after %s", d) }
