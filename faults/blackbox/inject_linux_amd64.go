package blackbox

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// belowStack is how far below the stack pointer the injected calls keep their arguments: past the red
// zone, within what the kernel maps for a new program.
const belowStack = 16 << 10

// install makes a program that has stopped at its start put itself under a filter: the calls are made
// in its own name, by an instruction written over its first ones, which are restored afterwards.
func install(pid int, code []unix.SockFilter) error {
	var saved unix.PtraceRegs
	if err := unix.PtraceGetRegs(pid, &saved); err != nil {
		return err
	}
	at := uintptr(saved.Rip)
	var text [8]byte
	if _, err := unix.PtracePeekText(pid, at, text[:]); err != nil {
		return err
	}
	syscallText := text
	syscallText[0], syscallText[1] = 0x0f, 0x05
	if _, err := unix.PtracePokeText(pid, at, syscallText[:]); err != nil {
		return err
	}
	err := installCalls(pid, saved, code)
	if _, e := unix.PtracePokeText(pid, at, text[:]); err == nil {
		err = e
	}
	if e := unix.PtraceSetRegs(pid, &saved); err == nil {
		err = e
	}
	return err
}

func installCalls(pid int, regs unix.PtraceRegs, code []unix.SockFilter) error {
	if _, err := call(pid, regs, unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0); err != nil {
		return fmt.Errorf("%w: no-new-privileges was refused: %w", ErrUnavailable, err)
	}
	at := (regs.Rsp - belowStack) &^ 15
	body := unsafe.Slice((*byte)(unsafe.Pointer(&code[0])), len(code)*int(unsafe.Sizeof(code[0])))
	head := make([]byte, 16)
	binary.LittleEndian.PutUint16(head, uint16(len(code)))
	binary.LittleEndian.PutUint64(head[8:], at+16)
	if err := writeMemory(pid, at, append(head, body...)); err != nil {
		return err
	}
	if _, err := call(pid, regs, unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, at, 0); err != nil {
		return fmt.Errorf("%w: a seccomp filter was refused (CONFIG_SECCOMP_FILTER): %w", ErrUnavailable, err)
	}
	return nil
}

// call makes one system call in the stopped program, at the syscall instruction under its counter.
func call(pid int, regs unix.PtraceRegs, nr uint64, a, b, c, d uint64) (uint64, error) {
	regs.Rax, regs.Orig_rax = nr, ^uint64(0)
	regs.Rdi, regs.Rsi, regs.Rdx, regs.R10, regs.R8 = a, b, c, d, 0
	if err := unix.PtraceSetRegs(pid, &regs); err != nil {
		return 0, err
	}
	if err := unix.PtraceSingleStep(pid); err != nil {
		return 0, err
	}
	var ws unix.WaitStatus
	if _, err := wait(pid, &ws, 0); err != nil {
		return 0, err
	}
	if !ws.Stopped() {
		return 0, fmt.Errorf("the program ended while it was prepared: %s", statusText(ws))
	}
	if err := unix.PtraceGetRegs(pid, &regs); err != nil {
		return 0, err
	}
	if r := int64(regs.Rax); r < 0 && r > -4096 {
		return 0, unix.Errno(-r)
	}
	return regs.Rax, nil
}

func writeMemory(pid int, at uint64, data []byte) error {
	local := []unix.Iovec{{Base: &data[0], Len: uint64(len(data))}}
	remote := []unix.RemoteIovec{{Base: uintptr(at), Len: len(data)}}
	if n, err := unix.ProcessVMWritev(pid, local, remote, 0); err != nil || n != len(data) {
		return fmt.Errorf("%w: process_vm_writev wrote %d of %d bytes: %w", ErrUnavailable, n, len(data), err)
	}
	return nil
}

// wait is wait4 for a child or tracee of this thread only: a process may hold several tracers, and
// children that are none of theirs.
func wait(pid int, ws *unix.WaitStatus, options int) (int, error) {
	for {
		got, err := unix.Wait4(pid, ws, unix.WALL|unix.WNOTHREAD|options, nil)
		if err != unix.EINTR {
			return got, err
		}
	}
}

// poll returns a child or tracee of this thread that has something to report, or 0. It keeps the scheduler out of it,
// for it never waits.
func poll(ws *unix.WaitStatus) int {
	var status int32
	pid, _, errno := unix.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&status)), unix.WALL|unix.WNOTHREAD|unix.WNOHANG, 0, 0, 0)
	if errno != 0 {
		return 0 // wait will say
	}
	*ws = unix.WaitStatus(status)
	return int(pid)
}

// syscallInfo is struct ptrace_syscall_info.
type syscallInfo struct {
	op   uint8
	_    [3]uint8
	arch uint32
	ip   uint64
	sp   uint64
	nr   uint64 // at an exit: the result
	args [6]uint64
	data uint32
	_    uint32
}

// result returns what the call returned, below 0 for an error. Only at an exit.
func (i *syscallInfo) result() int64 { return int64(i.nr) }

func getSyscallInfo(tid int, info *syscallInfo) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid), unsafe.Sizeof(*info), uintptr(unsafe.Pointer(info)), 0, 0)
	runtime.KeepAlive(info)
	if errno != 0 {
		return errno
	}
	return nil
}

func statusText(ws unix.WaitStatus) string {
	switch {
	case ws.Exited():
		return fmt.Sprintf("ended with status %d", ws.ExitStatus())
	case ws.Signaled():
		return fmt.Sprintf("was ended by signal %d (%s)", int(ws.Signal()), unix.SignalName(ws.Signal()))
	default:
		return "was not seen to end"
	}
}
