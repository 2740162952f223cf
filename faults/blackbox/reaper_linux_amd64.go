package blackbox

import (
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

var reaper struct {
	sync.Mutex
	users int
	was   int32
	told  bool // of stops
}

// becomeReaper makes this process the one that orphans of its descendants go to, as long as a life
// runs: a first process that is slow to reap would show the dead as still there. The returned function
// ends it.
func becomeReaper() func() {
	reaper.Lock()
	defer reaper.Unlock()
	if reaper.users++; reaper.users == 1 {
		var was int32
		_ = unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&was)), 0, 0, 0)
		reaper.was = was
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
		reaper.told = tellOfStops(false)
	}
	return func() {
		reaper.Lock()
		defer reaper.Unlock()
		if reaper.users--; reaper.users == 0 {
			_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, uintptr(reaper.was), 0, 0, 0)
			tellOfStops(reaper.told)
		}
	}
}

// tellOfStops says whether this process gets a signal whenever a child stops, and returns what was so before.
// A tracer waits for its tracees anyway, and each of their stops would run a signal handler, too.
func tellOfStops(yes bool) (before bool) {
	var action struct {
		handler, flags, restorer uintptr
		mask                     uint64
	}
	call := func(set, get unsafe.Pointer) bool {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), uintptr(set), uintptr(get), unsafe.Sizeof(action.mask), 0, 0)
		return errno == 0
	}
	const noChildStop = 1 // SA_NOCLDSTOP
	if !call(nil, unsafe.Pointer(&action)) {
		return true
	}
	before = action.flags&noChildStop == 0
	if action.flags |= noChildStop; yes {
		action.flags &^= noChildStop
	}
	call(unsafe.Pointer(&action), nil)
	return before
}

// Available returns nil if programs can be crashed on this system, or an error that wraps ErrUnavailable
// or ErrPlatform and says what is missing. It starts one process and ends it at once.
func Available() error {
	var err error
	done := make(chan struct{})
	go onOwnThread(maxHops, func() bool {
		defer close(done)
		err = probe()
		return true
	})
	<-done
	return err
}

// probe prepares a program as a life does, and ends it before its first instruction.
func probe() error {
	l := &life{spec: &lifeSpec{root: "/", args: []string{"/proc/self/exe"}, tracing: true, limits: Limits{}.withDefaults()},
		tasks: map[int]*task{}, early: map[int]bool{}, ended: map[int]unix.WaitStatus{}, pidfds: map[int]int{}}
	stdout, stderr, err := l.start()
	if err != nil {
		return err
	}
	var ws unix.WaitStatus
	if _, err = wait(l.root, &ws, 0); err == nil {
		if err = unix.PtraceSetOptions(l.root, traceOptions); err == nil {
			err = install(l.root, filter(true))
		}
		var info syscallInfo
		if err == nil && getSyscallInfo(l.root, &info) != nil {
			err = missingError("PTRACE_GET_SYSCALL_INFO (Linux 5.3)")
		}
	}
	if _, known := l.pidfds[l.root]; err == nil && !known {
		err = missingError("pidfd_open (Linux 5.3)")
	}
	l.interrupt(causeKill)
	_ = unix.Kill(l.root, unix.SIGKILL) // it has not been waited for: the number is still its own
	_ = l.loop()
	l.dropPidfds()
	stdout.finish()
	stderr.finish()
	return err
}

// missing says which setting keeps an ordinary user from tracing, as far as it can be seen.
func missing() string {
	if scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil {
		switch strings.TrimSpace(string(scope)) {
		case "2":
			return "kernel.yama.ptrace_scope is 2: tracing needs CAP_SYS_PTRACE"
		case "3":
			return "kernel.yama.ptrace_scope is 3: tracing is switched off until the next boot"
		}
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil && strings.Contains(string(status), "\nSeccomp:\t2") {
		return "this process runs under a seccomp filter that seems to refuse ptrace (a container needs --cap-add=SYS_PTRACE or another profile)"
	}
	return "the kernel refused ptrace or the program"
}

func missingError(what string) error { return &unavailableError{what} }

type unavailableError struct{ what string }

func (e *unavailableError) Error() string {
	return ErrUnavailable.Error() + ": " + e.what + " is missing"
}
func (e *unavailableError) Unwrap() error { return ErrUnavailable }

// makeSpecial makes a socket or a named pipe, as a crashed program may have left it, whatever the umask is here.
func makeSpecial(path string, kind entryKind, mode uint32) error {
	format := uint32(syscall.S_IFIFO)
	if kind == entrySocket {
		format = syscall.S_IFSOCK
	}
	return errors.Join(unix.Mknod(path, format|mode, 0), os.Chmod(path, os.FileMode(mode)))
}
