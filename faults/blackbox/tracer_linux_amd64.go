package blackbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of one life: how often to look for an event before sleeping until there is one, how long the recorded order
// may hold a thread while nothing else moves, and how much is kept: paths outside the folder, open folders of tasks.
const (
	waitSpins   = 8 // polls before a wait
	holdPoll    = 200 * time.Microsecond
	holdSpins   = 100    // polls without a pause, for threads that take turns quickly
	holdIdle    = 250    // polls without a thread that could go on
	holdLongest = 25_000 // polls in all
	maxOutside  = 100
	maxHops     = 64
	maxFolders  = 64  // tasks, beyond which each call goes the whole way
	maxPidfds   = 256 // beyond, descriptors of ended processes are closed at once
)

const traceOptions = unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACESYSGOOD

// life is one run of a program under the tracer. All of it but interrupt belongs to one OS thread: the
// kernel takes trace requests from no other.
type life struct {
	spec    *lifeSpec
	res     lifeResult
	root    int
	tasks   map[int]*task
	early   map[int]bool // stopped before the event that announces them
	ended   map[int]unix.WaitStatus
	procs   []int // every process, in order
	counts  map[site]int
	gate    gate
	seat    seat
	victim  int
	rooted  bool // a process has chosen another root
	sockets map[string]string
	plain   map[string]bool // descriptors' links that are files or folders, not pipes or devices
	buf     [4096]byte

	stdoutLink string

	why    atomic.Int32
	mu     sync.Mutex
	pidfds map[int]int
}

// runLife runs a program once and returns when nothing of it is left.
//
// Errors: ErrStart, ErrUnavailable, ErrPlatform, or what the tracer met; how the program ended is no
// error. Concurrency: any number at a time, each on a thread of its own.
func runLife(ctx context.Context, spec *lifeSpec) (*lifeResult, error) {
	if err := ctx.Err(); err != nil {
		return &lifeResult{cause: causeCancel, exit: -1, status: "was not started"}, nil
	}
	release := becomeReaper()
	defer release()
	type outcome struct {
		res *lifeResult
		err error
	}
	done := make(chan outcome, 1)
	go onOwnThread(maxHops, func() bool {
		l := &life{spec: spec, tasks: map[int]*task{}, early: map[int]bool{}, ended: map[int]unix.WaitStatus{},
			counts: map[site]int{}, sockets: map[string]string{}, plain: map[string]bool{}, pidfds: map[int]int{}}
		l.res.outside, l.res.mapped, l.res.timed = map[string]int{}, map[string]bool{}, map[inode]bool{}
		err := l.run(ctx)
		done <- outcome{&l.res, err}
		return len(l.tasks) == 0
	})
	o := <-done
	return o.res, o.err
}

// onOwnThread calls f on a thread that has no children: a tracer waits for all children of its thread,
// and would take those that another part of this process started there. It is not the first thread
// either: orphans of the programs under other tracers become that one's children. When f reports that it
// left something behind, the thread ends with the goroutine, and its tracees with it.
func onOwnThread(hops int, f func() bool) {
	runtime.LockOSThread()
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL|unix.WNOTHREAD, nil)
	if (!errors.Is(err, unix.ECHILD) || unix.Gettid() == unix.Getpid()) && hops > 0 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			onOwnThread(hops-1, f)
		}()
		<-done // this thread stays taken, so the other goroutine gets another one
		runtime.UnlockOSThread()
		return
	}
	if f() {
		runtime.UnlockOSThread()
	}
}

func (l *life) run(ctx context.Context) error {
	stdout, stderr, err := l.start()
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { l.interrupt(causeCancel) })
	timer := time.AfterFunc(l.spec.timeout, func() { l.interrupt(causeTimeout) })
	watched := l.watchFullness()
	if err = l.prepare(); l.stopping() {
		err = nil // it was ended meanwhile, and why is known
	} else if err != nil {
		l.interrupt(causeBroken)
	}
	if e := l.loop(); err == nil {
		err = e
	}
	l.apart()
	watched()
	timer.Stop()
	stop()
	l.dropPidfds()
	l.res.stdout, l.res.acks = stdout.finish()
	l.res.stderr, _ = stderr.finish()
	l.judgeEnd()
	if err == nil && !l.res.cause.stopsLife() {
		err = stdout.sink.over
	}
	return err
}

func (l *life) start() (stdout, stderr *stream, err error) {
	path := l.spec.args[0]
	if !strings.Contains(path, "/") {
		if path, err = exec.LookPath(path); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrStart, err)
		}
	}
	null, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	defer unix.Close(null)
	stdout, out, err := newStream(&sink{limit: l.spec.limits.OutputBytes, pattern: l.spec.acks})
	if err != nil {
		return nil, nil, err
	}
	stderr, errs, err := newStream(&sink{limit: l.spec.limits.OutputBytes})
	if err != nil {
		_ = unix.Close(out)
		return nil, nil, err
	}
	l.stdoutLink, _ = os.Readlink(procFD(os.Getpid(), out))
	l.root, err = syscall.ForkExec(path, l.spec.args, &syscall.ProcAttr{
		Dir:   l.spec.root,
		Env:   l.spec.env,
		Files: []uintptr{uintptr(null), uintptr(out), uintptr(errs)},
		Sys:   &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	_ = unix.Close(out)
	_ = unix.Close(errs)
	if err != nil {
		stdout.finish()
		stderr.finish()
		if errors.Is(err, unix.EPERM) {
			return nil, nil, fmt.Errorf("%w: %s: %w", ErrUnavailable, missing(), err)
		}
		return nil, nil, fmt.Errorf("%w: %s: %w", ErrStart, path, err)
	}
	l.tasks[l.root] = &task{tid: l.root, tgid: l.root}
	l.openPidfd(l.root)
	return stdout, stderr, nil
}

// prepare takes the program from its first stop, before its first instruction, to running under the
// filter.
func (l *life) prepare() error {
	var ws unix.WaitStatus
	if _, err := wait(l.root, &ws, 0); err != nil {
		return fmt.Errorf("waiting for the program's first stop: %w", err)
	}
	if !ws.Stopped() {
		l.gone(l.root, ws)
		return fmt.Errorf("%w: it %s before its first instruction", ErrStart, statusText(ws))
	}
	if err := unix.PtraceSetOptions(l.root, traceOptions); err != nil {
		return fmt.Errorf("%w: trace options were refused: %w", ErrUnavailable, err)
	}
	if err := install(l.root, filter(l.spec.tracing)); err != nil {
		return err
	}
	// The limit of one file bounds what is not traced; it is wide, for what is traced is counted.
	noCore, size := unix.Rlimit{}, uint64(2*l.spec.limits.WrittenBytes)
	files := unix.Rlimit{Cur: size, Max: size}
	if err := unix.Prlimit(l.root, unix.RLIMIT_CORE, &noCore, nil); err != nil {
		return err
	}
	if err := unix.Prlimit(l.root, unix.RLIMIT_FSIZE, &files, nil); err != nil {
		return err
	}
	if at := l.spec.target; at != nil {
		l.gate.order = orderTo(at)
		l.res.calls, l.res.threads = make([]Call, 0, len(at.threads)), make([]int, 0, len(at.threads))
	}
	resume(l.root, unix.PTRACE_CONT, 0)
	return nil
}

func orderTo(t *target) []site {
	order := make([]site, 0, len(t.prefix)+1)
	for _, c := range t.prefix {
		if c.ordered() {
			order = append(order, c.site())
		}
	}
	if t.call.ordered() {
		order = append(order, t.call.site())
	}
	return order
}

// loop handles events until nothing of the program is left.
func (l *life) loop() error {
	for {
		var ws unix.WaitStatus
		pid, err := l.nextEvent(&ws)
		if errors.Is(err, unix.ECHILD) {
			for _, t := range l.tasks {
				l.forget(t)
			}
			return nil
		}
		if err != nil {
			l.interrupt(causeBroken)
			return fmt.Errorf("waiting for the program: %w", err)
		}
		l.event(pid, ws)
	}
}

// nextEvent waits for an event. While the recorded order holds a thread it polls, and gives the order up
// once nothing else moves.
func (l *life) nextEvent(ws *unix.WaitStatus) (int, error) {
	for idle, polls := 0, 0; l.gate.holding() && !l.stopping(); polls++ {
		pid, err := wait(-1, ws, unix.WNOHANG)
		if pid != 0 || err != nil {
			return pid, err
		}
		if polls < holdSpins {
			_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
			continue
		}
		if idle++; !l.asleep() {
			idle = 0
		}
		if idle >= holdIdle || polls >= holdLongest {
			l.gate.free, l.res.reordered = true, true
			l.pump()
			break
		}
		time.Sleep(holdPoll)
	}
	if l.spec.tracing {
		// The next stop is mostly near, and nearer than this thread's way into a sleep and out again.
		for range waitSpins {
			if pid := poll(ws); pid != 0 {
				return pid, nil
			}
			_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		}
	}
	return wait(-1, ws, 0)
}

func (l *life) stopping() bool { return l.why.Load() != int32(causeNone) }

// interrupt ends every process of the life. It may be called from any goroutine: a descriptor of a
// process can't come to mean another one.
func (l *life) interrupt(why cause) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.why.CompareAndSwap(int32(causeNone), int32(why))
	for _, fd := range l.pidfds {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

// judgeEnd derives the result's verdicts from what was seen.
func (l *life) judgeEnd() {
	l.res.cause = cause(l.why.Load())
	ws, ok := l.ended[l.root]
	if !ok {
		l.res.exit, l.res.status = -1, "was not seen to end"
		return
	}
	l.res.status, l.res.exit = statusText(ws), -1
	if ws.Exited() {
		l.res.exit = ws.ExitStatus()
	}
	killed := func(ws unix.WaitStatus) bool { return ws.Signaled() && ws.Signal() == unix.SIGKILL }
	l.res.landed = l.res.cause == causeKill && killed(ws) && killed(l.ended[l.victim])
}
