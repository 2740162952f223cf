package blackbox

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// stop is one traced call at its entry, read and classified.
type stop struct {
	shape
	call    Call
	durable bool // a point stands here
	hidden  bool // the process does not let itself be looked into
	silent  bool // no point, but part of what the folder holds: an ignored file
	nr      uint64
	args    [6]uint64
	fd      int    // the descriptor's number, -1 if none
	path    string // absolute; the new one of two
	old     string // absolute, the old one of two
	existed bool   // kindOpen: the file was there
	unsure  bool   // kindOpen: it changes nothing, but may once another call is over
	ino     inode  // of a descriptor's file
	folder  bool   // the descriptor is a folder
	part    span   // kindSyncMap: of the file
}

// classify reads a call at its entry. What is not durable below the case's folder gives no point:
// internal pipes, event counters, terminals, devices, and files elsewhere, which are only noted.
func (l *life) classify(t *task, info *syscallInfo) stop {
	s := stop{shape: shapes[info.nr], nr: info.nr, args: info.args, fd: -1}
	if s.shape.fd >= 0 {
		s.fd = int(int32(info.args[s.shape.fd]))
	}
	s.call.Name = s.name
	switch s.kind {
	case kindWrite, kindSync, kindCut, kindSend, kindMap:
		l.classifyFD(t, &s)
	case kindSyncAll:
		s.durable = s.fd < 0 || l.besideRoot(t, s.fd)
		s.hidden = !s.durable && hides(t)
		l.noteElsewhere(t, &s)
	case kindSyncMap:
		l.classifyMap(t, &s)
	case kindRoot:
		l.rooted = true
	case kindSeat:
		l.apart()
		l.seat.chosen = l.seat.chosen || s.nr == unix.SYS_SCHED_SETAFFINITY
	case kindMark, kindTime:
		l.classifyMark(t, &s)
	default:
		l.classifyPath(t, &s)
	}
	return s
}

func (l *life) classifyFD(t *task, s *stop) {
	if s.fd < 0 || s.kind == kindMap && !canStore(t, s) {
		return
	}
	link, ok := l.link(t, s.fd)
	if !ok {
		s.hidden = hides(t)
		return
	}
	if l.plain[link] && l.spec.record == nil {
		l.placeStop(s, link)
		return
	}
	switch {
	case strings.HasPrefix(link, "socket:"):
		if s.kind == kindWrite || s.kind == kindSend {
			s.call.Path = l.socketKind(t, s, link)
			s.durable = s.call.Path != ""
		}
		return
	case link == l.stdoutLink:
		s.call.Path, s.durable = pathStdout, s.kind == kindWrite
		return
	case !strings.HasPrefix(link, "/") || strings.HasPrefix(link, "/memfd:"):
		return
	}
	var st unix.Stat_t
	if unix.Stat(procFD(t.tid, s.fd), &st) != nil {
		return
	}
	mode := st.Mode & unix.S_IFMT
	if mode != unix.S_IFREG && mode != unix.S_IFDIR {
		return
	}
	s.ino, s.folder = inode{st.Dev, st.Ino}, mode == unix.S_IFDIR
	if st.Nlink == 0 {
		link = nameOfDeleted(link)
	} else {
		l.plain[link] = true
	}
	l.placeStop(s, link)
	l.noteElsewhere(t, s)
}

// besideRoot reports whether a descriptor is of the file system that the case's folder lies on. What lies in the folder
// is, also where a file system shows devices of its own for some of its files.
func (l *life) besideRoot(t *task, fd int) bool {
	var own, root unix.Stat_t
	if link, ok := l.link(t, fd); ok {
		if _, ok := below(l.spec.root, link); ok {
			return true
		}
	}
	return unix.Stat(procFD(t.tid, fd), &own) == nil && unix.Stat(l.spec.root, &root) == nil && own.Dev == root.Dev
}

// hides reports whether the kernel keeps a process's descriptors and memory from this user, though not its
// calls. One that is ending gives other errors.
func hides(t *task) bool {
	_, err := os.Readlink("/proc/" + strconv.Itoa(t.tid) + "/cwd")
	return errors.Is(err, fs.ErrPermission)
}

// link returns what a descriptor of a task stands for. The folder of its descriptors stays open, if there are not too
// many tasks, which spares the way there at each call.
func (l *life) link(t *task, fd int) (string, bool) {
	if t.fds == 0 && len(l.tasks) <= maxFolders {
		t.fds, _ = unix.Open("/proc/"+strconv.Itoa(t.tid)+"/fd", unix.O_PATH|unix.O_CLOEXEC, 0)
	}
	dir, name := t.fds, strconv.Itoa(fd)
	if dir <= 0 {
		dir, name = unix.AT_FDCWD, procFD(t.tid, fd)
	}
	n, err := unix.Readlinkat(dir, name, l.buf[:])
	if err != nil || n == len(l.buf) {
		return "", false
	}
	return string(l.buf[:n]), true
}

// placeStop gives a stop its path and decides whether it lies below the case's folder.
func (l *life) placeStop(s *stop, abs string) {
	s.path = abs
	rel, ok := below(l.spec.root, abs)
	switch {
	case s.kind == kindMap:
		if ok {
			l.res.mapped[rel] = true
		}
	case !ok:
		if s.kind != kindSync {
			l.noteOutside(abs)
		}
	case l.spec.ignore.match(rel):
		s.silent = l.spec.record != nil
	default:
		s.call.Path, s.durable = escapePath(rel), true
	}
}

func (l *life) classifyPath(t *task, s *stop) {
	if s.nr == unix.SYS_BIND {
		s.path = l.readSocketPath(t, s.args[1], s.args[2])
	} else {
		s.path = l.readPath(t, s.to, s.args)
	}
	if s.path == "" {
		s.hidden = hides(t)
		return
	}
	if s.kind == kindOpen {
		var st unix.Stat_t
		s.existed = unix.Stat(s.path, &st) == nil
		s.ino = inode{st.Dev, st.Ino}
		if !l.opensDurably(t, s, st.Mode) {
			_, inside := below(l.spec.root, s.path)
			s.unsure = inside && (!s.existed || st.Mode&unix.S_IFMT == unix.S_IFREG) // a pipe waits for its other end
			return
		}
	}
	if s.kind == kindCutPath || s.kind == kindOpen && s.existed {
		l.follow(s)
	}
	if s.from.path >= 0 {
		if s.old = l.readPath(t, s.from, s.args); s.old == "" {
			s.hidden = hides(t)
			return
		}
		if _, ok := below(l.spec.root, s.path); !ok {
			if _, inside := below(l.spec.root, s.old); inside && !strings.HasPrefix(s.name, "link") {
				to := s.path
				l.noteOutside(to)
				l.placeStop(s, s.old) // the point stands at the path that is inside
				s.path = to
				return
			}
		}
	}
	l.placeStop(s, s.path)
}

// opensDurably reports whether an open makes a file or cuts one.
func (l *life) opensDurably(t *task, s *stop, mode uint32) bool {
	flags := uint64(unix.O_CREAT | unix.O_TRUNC)
	switch s.nr {
	case unix.SYS_OPEN:
		flags = s.args[1]
	case unix.SYS_OPENAT:
		flags = s.args[2]
	case unix.SYS_OPENAT2:
		var how [8]byte
		if readMemory(t.tid, s.args[2], how[:]) != 8 {
			return false
		}
		flags = binary.LittleEndian.Uint64(how[:])
	}
	if !s.existed {
		return flags&unix.O_CREAT != 0
	}
	exclusive := flags&(unix.O_CREAT|unix.O_EXCL) == unix.O_CREAT|unix.O_EXCL
	return mode&unix.S_IFMT == unix.S_IFREG && flags&unix.O_TRUNC != 0 && !exclusive
}

// classifyMark finds the file of which something beside its bytes is changed. A time that is set to now only says
// when the case ran.
func (l *life) classifyMark(t *task, s *stop) {
	timing := s.kind == kindTime
	if timing && s.args[s.to.path+1] == 0 {
		return
	}
	if timing && s.args[s.to.path] == 0 {
		s.fd = int(int32(s.args[0]))
	}
	if s.fd >= 0 || s.to.path < 0 {
		l.classifyFD(t, s)
		return
	}
	if s.path = l.readPath(t, s.to, s.args); s.path == "" {
		s.hidden = hides(t)
		return
	}
	if real, err := filepath.EvalSymlinks(s.path); err == nil {
		s.path = real
	}
	l.placeStop(s, s.path)
}

// canStore reports whether a shared map can be written: at once, or after a call that changes that, which a
// file open for writing allows.
func canStore(t *task, s *stop) bool {
	if s.args[2]&unix.PROT_WRITE != 0 {
		return true
	}
	_, flags := fdInfo(t.tid, s.fd)
	return flags&unix.O_ACCMODE != unix.O_RDONLY
}

// noteOutside counts a change outside the case's folder; only so many paths are kept.
func (l *life) noteOutside(path string) {
	for _, p := range []string{"/proc/", "/dev/pts/", "/sys/"} {
		if strings.HasPrefix(path, p) {
			return
		}
	}
	if _, ok := l.res.outside[path]; ok || len(l.res.outside) < maxOutside {
		l.res.outside[path]++
	}
}

// nameOfDeleted returns the former path of a file without names. One that never had a name carries a
// number that differs from run to run.
func nameOfDeleted(link string) string {
	link = strings.TrimSuffix(link, " (deleted)")
	dir, name := filepath.Split(link)
	if strings.HasPrefix(name, "#") {
		return dir + "#unnamed"
	}
	return link
}

// below returns the path relative to root, if it lies there.
func below(root, path string) (string, bool) {
	if path == root {
		return ".", true
	}
	rel, ok := strings.CutPrefix(path, root+"/")
	return rel, ok
}

func procFD(tid, fd int) string {
	return "/proc/" + strconv.Itoa(tid) + "/fd/" + strconv.Itoa(fd)
}

// readMemory reads a program's memory and returns how much there was.
func readMemory(tid int, at uint64, into []byte) int {
	if len(into) == 0 {
		return 0
	}
	local := []unix.Iovec{{Base: &into[0], Len: uint64(len(into))}}
	remote := []unix.RemoteIovec{{Base: uintptr(at), Len: len(into)}}
	n, err := unix.ProcessVMReadv(tid, local, remote, 0)
	if err != nil {
		return 0
	}
	return n
}

// readString reads a path, page by page: a read that runs into an unmapped page returns nothing at all,
// or less than there is.
func readString(tid int, at uint64) (string, bool) {
	const page, longest = 4096, 4096
	var out []byte
	for len(out) < longest {
		part := make([]byte, page-at%page)
		n := readMemory(tid, at, part)
		for i, c := range part[:n] {
			if c == 0 {
				return string(append(out, part[:i]...)), true
			}
		}
		if n < len(part) {
			return "", false
		}
		out = append(out, part...)
		at += uint64(n)
	}
	return "", false
}
