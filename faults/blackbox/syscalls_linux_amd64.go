package blackbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// kind is what a traced call does, as far as crashes are concerned.
type kind int

const (
	kindWrite   kind = iota // bytes to a descriptor
	kindSync                // a descriptor's file or folder made durable
	kindSyncAll             // everything on a file system made durable
	kindCut                 // a descriptor's size changed
	kindCutPath             // a path's size changed
	kindOpen                // may create or cut a file
	kindName                // names made or removed
	kindSend                // bytes to a socket
	kindMap                 // a shared map: noted, no point
	kindSyncMap             // a part of a shared map made durable
	kindMark                // what a file has beside its bytes changed: mode, owner, attributes
	kindTime                // a file's time set
	kindRoot                // where absolute paths begin: no point
	kindSeat                // the processors of a thread: no point
)

// place is where a path stands in a call's arguments: the folder's descriptor (-1 for none) and the
// string.
type place struct{ dir, path int }

// shape is how to read a call's arguments.
type shape struct {
	name string
	kind kind
	fd   int   // descriptor that is written, synced or cut
	to   place // path made or removed; the new one of two
	from place // the old one of two; path -1 if none
}

var none = place{-1, -1}

func fdShape(name string, k kind, fd int) shape { return shape{name, k, fd, none, none} }
func pathShape(name string, k kind, dir, path int) shape {
	return shape{name, k, -1, place{dir, path}, none}
}
func twoPaths(name string, from, to place) shape { return shape{name, kindName, -1, to, from} }

// shapes holds every call that is traced. The order of the filter does not matter.
var shapes = map[uint64]shape{
	unix.SYS_WRITE:           fdShape("write", kindWrite, 0),
	unix.SYS_WRITEV:          fdShape("writev", kindWrite, 0),
	unix.SYS_PWRITE64:        fdShape("pwrite64", kindWrite, 0),
	unix.SYS_PWRITEV:         fdShape("pwritev", kindWrite, 0),
	unix.SYS_PWRITEV2:        fdShape("pwritev2", kindWrite, 0),
	unix.SYS_SENDFILE:        fdShape("sendfile", kindWrite, 0),
	unix.SYS_COPY_FILE_RANGE: fdShape("copy_file_range", kindWrite, 2),
	unix.SYS_SPLICE:          fdShape("splice", kindWrite, 2),
	unix.SYS_VMSPLICE:        fdShape("vmsplice", kindWrite, 0),
	unix.SYS_TEE:             fdShape("tee", kindWrite, 1),

	unix.SYS_SENDTO:   fdShape("sendto", kindSend, 0),
	unix.SYS_SENDMSG:  fdShape("sendmsg", kindSend, 0),
	unix.SYS_SENDMMSG: fdShape("sendmmsg", kindSend, 0),

	unix.SYS_FSYNC:     fdShape("fsync", kindSync, 0),
	unix.SYS_FDATASYNC: fdShape("fdatasync", kindSync, 0),
	unix.SYS_SYNCFS:    fdShape("syncfs", kindSyncAll, 0),
	unix.SYS_SYNC:      fdShape("sync", kindSyncAll, -1),
	unix.SYS_MSYNC:     fdShape("msync", kindSyncMap, -1),

	unix.SYS_FTRUNCATE: fdShape("ftruncate", kindCut, 0),
	unix.SYS_FALLOCATE: fdShape("fallocate", kindCut, 0),
	unix.SYS_TRUNCATE:  pathShape("truncate", kindCutPath, -1, 0),

	unix.SYS_OPEN:    pathShape("open", kindOpen, -1, 0),
	unix.SYS_CREAT:   pathShape("creat", kindOpen, -1, 0),
	unix.SYS_OPENAT:  pathShape("openat", kindOpen, 0, 1),
	unix.SYS_OPENAT2: pathShape("openat2", kindOpen, 0, 1),

	unix.SYS_MKDIR:     pathShape("mkdir", kindName, -1, 0),
	unix.SYS_MKDIRAT:   pathShape("mkdirat", kindName, 0, 1),
	unix.SYS_RMDIR:     pathShape("rmdir", kindName, -1, 0),
	unix.SYS_UNLINK:    pathShape("unlink", kindName, -1, 0),
	unix.SYS_UNLINKAT:  pathShape("unlinkat", kindName, 0, 1),
	unix.SYS_MKNOD:     pathShape("mknod", kindName, -1, 0),
	unix.SYS_MKNODAT:   pathShape("mknodat", kindName, 0, 1),
	unix.SYS_BIND:      pathShape("bind", kindName, -1, 1), // to a path, which stands in an address
	unix.SYS_SYMLINK:   pathShape("symlink", kindName, -1, 1),
	unix.SYS_SYMLINKAT: pathShape("symlinkat", kindName, 1, 2),
	unix.SYS_LINK:      twoPaths("link", place{-1, 0}, place{-1, 1}),
	unix.SYS_LINKAT:    twoPaths("linkat", place{0, 1}, place{2, 3}),
	unix.SYS_RENAME:    twoPaths("rename", place{-1, 0}, place{-1, 1}),
	unix.SYS_RENAMEAT:  twoPaths("renameat", place{0, 1}, place{2, 3}),
	unix.SYS_RENAMEAT2: twoPaths("renameat2", place{0, 1}, place{2, 3}),

	unix.SYS_CHMOD:         pathShape("chmod", kindMark, -1, 0),
	unix.SYS_FCHMOD:        fdShape("fchmod", kindMark, 0),
	unix.SYS_FCHMODAT:      pathShape("fchmodat", kindMark, 0, 1),
	unix.SYS_FCHMODAT2:     pathShape("fchmodat2", kindMark, 0, 1),
	unix.SYS_CHOWN:         pathShape("chown", kindMark, -1, 0),
	unix.SYS_LCHOWN:        pathShape("lchown", kindMark, -1, 0),
	unix.SYS_FCHOWN:        fdShape("fchown", kindMark, 0),
	unix.SYS_FCHOWNAT:      pathShape("fchownat", kindMark, 0, 1),
	unix.SYS_SETXATTR:      pathShape("setxattr", kindMark, -1, 0),
	unix.SYS_LSETXATTR:     pathShape("lsetxattr", kindMark, -1, 0),
	unix.SYS_FSETXATTR:     fdShape("fsetxattr", kindMark, 0),
	unix.SYS_SETXATTRAT:    pathShape("setxattrat", kindMark, 0, 1),
	unix.SYS_REMOVEXATTR:   pathShape("removexattr", kindMark, -1, 0),
	unix.SYS_LREMOVEXATTR:  pathShape("lremovexattr", kindMark, -1, 0),
	unix.SYS_FREMOVEXATTR:  fdShape("fremovexattr", kindMark, 0),
	unix.SYS_REMOVEXATTRAT: pathShape("removexattrat", kindMark, 0, 1),

	unix.SYS_UTIME:     pathShape("utime", kindTime, -1, 0),
	unix.SYS_UTIMES:    pathShape("utimes", kindTime, -1, 0),
	unix.SYS_FUTIMESAT: pathShape("futimesat", kindTime, 0, 1),
	unix.SYS_UTIMENSAT: pathShape("utimensat", kindTime, 0, 1),

	unix.SYS_CHROOT:     fdShape("chroot", kindRoot, -1),
	unix.SYS_PIVOT_ROOT: fdShape("pivot_root", kindRoot, -1),

	unix.SYS_SCHED_GETAFFINITY: fdShape("sched_getaffinity", kindSeat, -1),
	unix.SYS_SCHED_SETAFFINITY: fdShape("sched_setaffinity", kindSeat, -1),

	unix.SYS_MMAP: fdShape("mmap", kindMap, 4),
}

// coasts reports whether a call's exit need not be seen: it waits for nobody, and no signal makes it begin again,
// which would be counted as another call.
func (s *stop) coasts() bool {
	switch s.nr {
	case unix.SYS_SENDFILE, unix.SYS_COPY_FILE_RANGE, unix.SYS_SPLICE, unix.SYS_VMSPLICE, unix.SYS_TEE, unix.SYS_FALLOCATE:
		return false
	}
	switch s.kind {
	case kindWrite, kindSync, kindCut, kindCutPath, kindOpen, kindName, kindMark, kindTime:
		return s.call.Path != pathStdout && s.call.ordered()
	}
	return false
}

// tracedNumbers returns the calls that stop whatever their arguments, in order.
func tracedNumbers() []uint32 {
	var out []uint32
	for nr := range shapes {
		if nr != unix.SYS_OPEN && nr != unix.SYS_OPENAT && nr != unix.SYS_MMAP {
			out = append(out, uint32(nr))
		}
	}
	slices.Sort(out)
	return out
}
