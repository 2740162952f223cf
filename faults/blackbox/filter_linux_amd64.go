package blackbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// What a stop of the filter is about, in the data of its return value.
const (
	stopCall    = 1
	stopForeign = 2 // a call of another architecture, or of a process that is not to be traced
)

// Offsets in struct seccomp_data.
const (
	dataNr   = 0
	dataArch = 4
	dataArgs = 16
)

const (
	archAMD64 = 0xc000003e
	x32Bit    = 0x40000000
	ficlone   = 0x40049409
	ficloneR  = 0x4020940d
)

// filter builds a seccomp filter. Without traced calls it only answers the kernel interfaces that
// would bypass per-call tracing, as an older kernel does; programs fall back to plain calls.
//
// Calls that are neither traced nor refused depend on their number alone, so the kernel lets them pass
// without running the filter.
func filter(tracing bool) []unix.SockFilter {
	f := program{}
	f.load(dataArch)
	if tracing {
		f.ifEqual(archAMD64, 1, 0)
		f.ret(unix.SECCOMP_RET_TRACE | stopForeign)
	} else {
		f.ifEqual(archAMD64, 1, 0)
		f.ret(unix.SECCOMP_RET_ALLOW)
	}
	f.load(dataNr)
	if tracing {
		f.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32Bit, 0, 1)
		f.ret(unix.SECCOMP_RET_TRACE | stopForeign)
	}
	for _, nr := range []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_SETUP} {
		f.ifEqual(nr, 0, 1)
		f.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	}
	// A process that is made not to be traced would outlive its case. clone3 keeps its flags in memory, where a filter
	// can't look: it is answered as on a kernel without it, and programs go on with clone.
	f.ifEqual(unix.SYS_CLONE3, 0, 1)
	f.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	f.traceIfFlag(unix.SYS_CLONE, 0, unix.CLONE_UNTRACED, stopForeign)
	if tracing {
		f.traceCalls()
	}
	f.ret(unix.SECCOMP_RET_ALLOW)
	return f.code
}

func (f *program) traceCalls() {
	// An open is durable only where it may create or cut a file.
	f.traceIfFlag(unix.SYS_OPEN, 1, unix.O_CREAT|unix.O_TRUNC, stopCall)
	f.traceIfFlag(unix.SYS_OPENAT, 2, unix.O_CREAT|unix.O_TRUNC, stopCall)
	// A shared map that can be written, now or later: its stores are invisible, so at least its file is noted.
	f.traceIfFlag(unix.SYS_MMAP, 3, unix.MAP_SHARED, stopCall)
	// A clone of a file's blocks is refused, as most file systems do.
	f.ifEqual(unix.SYS_IOCTL, 0, 5)
	f.load(dataArgs + 8*1)
	f.ifEqual(ficlone, 1, 0)
	f.ifEqual(ficloneR, 0, 1)
	f.ret(unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP))
	f.ret(unix.SECCOMP_RET_ALLOW)
	// The kernel tries every number when a filter is installed, so what is in no part is told from the parts' bounds.
	const part = 8
	for numbers := range slices.Chunk(tracedNumbers(), part) {
		f.ifAbove(numbers[len(numbers)-1], uint8(2+2*len(numbers)), 0)
		f.ifAbove(numbers[0]-1, 1, 0)
		f.ret(unix.SECCOMP_RET_ALLOW)
		for _, nr := range numbers {
			f.ifEqual(nr, 0, 1)
			f.ret(unix.SECCOMP_RET_TRACE | stopCall)
		}
	}
}

// traceIfFlag traces a call where one of its arguments has one of some bits, and allows it otherwise.
func (f *program) traceIfFlag(nr uint32, arg int, bits, why uint32) {
	f.ifEqual(nr, 0, 4)
	f.load(uint32(dataArgs + 8*arg))
	f.ifAny(bits, 0, 1)
	f.ret(unix.SECCOMP_RET_TRACE | why)
	f.ret(unix.SECCOMP_RET_ALLOW)
}

// program is a classic BPF program under construction; jumps count instructions to skip.
type program struct{ code []unix.SockFilter }

func (f *program) add(code uint16, k uint32, yes, no uint8) {
	f.code = append(f.code, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
}

func (f *program) load(offset uint32) { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }
func (f *program) ret(value uint32)   { f.add(unix.BPF_RET|unix.BPF_K, value, 0, 0) }
func (f *program) ifEqual(k uint32, yes, no uint8) {
	f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, yes, no)
}
func (f *program) ifAbove(k uint32, yes, no uint8) {
	f.add(unix.BPF_JMP|unix.BPF_JGT|unix.BPF_K, k, yes, no)
}
func (f *program) ifAny(bits uint32, yes, no uint8) {
	f.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, bits, yes, no)
}
