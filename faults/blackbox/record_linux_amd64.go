package blackbox

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Flags of calls that x/sys does not name.
const (
	rwfDsync   = 0x2
	rwfSync    = 0x4
	rwfAppend  = 0x10
	fallocKeep = 0x1 // FALLOC_FL_KEEP_SIZE
)

// newRecorder returns a recorder of a run in a folder that has just been written, and is all durable.
func newRecorder(root string, base folder) (*recorder, error) {
	r := &recorder{root: root, ids: map[inode]int{}, names: map[string]name{}, files: map[int][]byte{}, unread: map[string]bool{},
		log: &powerLog{names: map[string]name{}, files: map[int][]byte{}}}
	for _, e := range base {
		n := name{kind: e.kind, mode: e.mode, attributes: e.attributes, time: e.time}
		switch e.kind {
		case entryFile:
			var st unix.Stat_t
			if err := unix.Lstat(filepath.Join(root, e.path), &st); err != nil {
				return nil, &fs.PathError{Op: "lstat", Path: e.path, Err: err}
			}
			n.file = r.file(inode{st.Dev, st.Ino})
			r.files[n.file] = append([]byte(nil), e.data...)
			r.log.files[n.file] = e.data
		case entryLink:
			n.link = e.data
		}
		r.names[e.path], r.log.names[e.path] = n, n
	}
	return r, nil
}

// observe records what a call did, at its exit.
func (l *life) observe(t *task, result int64) {
	if result < 0 {
		return
	}
	r, at, call := l.spec.record, &t.at, max(len(l.res.calls)-1, 0)
	if at.durable && !at.call.ordered() { // others may have come in between
		call = slices.Index(l.res.calls, at.call)
	}
	switch at.kind {
	case kindWrite:
		if at.call.Path == pathStdout {
			r.said += result
			r.add(powerOp{kind: opSay, call: call, size: r.said})
		} else if !at.call.sends() && result > 0 {
			l.observeWrite(t, call, result)
		}
	case kindSync, kindSyncMap:
		l.observeSync(t, call)
	case kindSyncAll:
		r.add(powerOp{kind: opSyncAll, call: call})
	case kindCut:
		l.observeCut(t, call)
	case kindCutPath:
		var st unix.Stat_t
		if unix.Stat(at.path, &st) == nil {
			r.add(powerOp{kind: opCut, call: call, file: r.file(inode{st.Dev, st.Ino}), size: int64(at.args[1])})
		}
	case kindOpen:
		l.observeOpen(t, call, int(result))
	case kindName:
		l.observeName(t, call)
	case kindMark, kindTime:
		l.observeMark(t, call)
	}
}

func (l *life) observeWrite(t *task, call int, n int64) {
	r, at := l.spec.record, &t.at
	pos, flags := fdInfo(t.tid, at.fd)
	file := r.file(at.ino)
	off := l.writeOffset(t, n, pos, flags)
	data := make([]byte, n)
	f, err := openOwn(procFD(t.tid, at.fd))
	if err != nil {
		rel, _ := below(r.root, at.path)
		r.unread[rel] = true
		return
	}
	got, _ := f.ReadAt(data, off)
	_ = f.Close()
	r.add(powerOp{kind: opWrite, call: call, file: file, off: off, data: data[:got]})
	if at.through(flags) {
		r.add(powerOp{kind: opSync, call: call, file: file})
	}
}

// openOwn opens a file of the program's, which may be closed to its own user.
func openOwn(path string) (*os.File, error) {
	f, err := os.Open(path)
	info, e := os.Stat(path)
	if !errors.Is(err, fs.ErrPermission) || e != nil {
		return f, err
	}
	err = whileOpen(path, info.Mode()&modeBits, func() (err error) {
		f, err = os.Open(path)
		return err
	})
	return f, err
}

// readOwn reads such a file.
func readOwn(path string) ([]byte, error) {
	f, err := openOwn(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// writeOffset returns where a write of n bytes went, after it.
func (l *life) writeOffset(t *task, n, pos, flags int64) int64 {
	at := &t.at
	positioned := at.nr == unix.SYS_PWRITE64 || at.nr == unix.SYS_PWRITEV || at.nr == unix.SYS_PWRITEV2 && int64(at.args[3]) != -1
	appending := flags&unix.O_APPEND != 0 || at.nr == unix.SYS_PWRITEV2 && at.args[5]&rwfAppend != 0
	switch {
	case appending:
		// Linux appends whatever the position says.
		var st unix.Stat_t
		if unix.Stat(procFD(t.tid, at.fd), &st) == nil {
			return st.Size - n
		}
	case positioned:
		return int64(at.args[3])
	case (at.nr == unix.SYS_COPY_FILE_RANGE || at.nr == unix.SYS_SPLICE) && at.args[3] != 0:
		var after [8]byte
		if readMemory(t.tid, at.args[3], after[:]) == 8 {
			return int64(binary.LittleEndian.Uint64(after[:])) - n
		}
	}
	return max(pos-n, 0)
}

// fdInfo returns the position and the flags of a descriptor.
func fdInfo(tid, fd int) (pos, flags int64) {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/fdinfo/" + strconv.Itoa(fd))
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch key {
		case "pos":
			pos, _ = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		case "flags":
			flags, _ = strconv.ParseInt(strings.TrimSpace(value), 8, 64)
		}
	}
	return pos, flags
}

func (l *life) observeSync(t *task, call int) {
	r, at := l.spec.record, &t.at
	if !at.syncs() {
		return
	}
	if at.folder {
		if rel, ok := below(r.root, at.path); ok {
			r.add(powerOp{kind: opSyncFolder, call: call, path: rel})
		}
		return
	}
	file := r.file(at.ino)
	// Where a file that is mapped has another name by now, its map still says which it is.
	if rel, ok := below(r.root, at.path); ok && (at.kind == kindSyncMap || l.res.mapped[rel]) {
		if actual, err := readOwn(at.path); err == nil {
			r.reconcile(call, file, actual, at.part)
		}
	}
	r.add(powerOp{kind: opSync, call: call, file: file, part: at.part})
}

func (l *life) observeCut(t *task, call int) {
	r, at := l.spec.record, &t.at
	file := r.file(at.ino)
	if at.nr == unix.SYS_FTRUNCATE {
		r.add(powerOp{kind: opCut, call: call, file: file, size: int64(at.args[1])})
		return
	}
	mode := at.args[1]
	if mode&^fallocKeep != 0 { // a hole, zeros, or a part taken out
		if actual, err := readOwn(procFD(t.tid, at.fd)); err == nil {
			r.reconcile(call, file, actual, span{})
		}
		return
	}
	if end := int64(at.args[2] + at.args[3]); mode&fallocKeep == 0 && end > int64(len(r.files[file])) {
		r.add(powerOp{kind: opCut, call: call, file: file, size: end})
	}
}

func (l *life) observeOpen(t *task, call, fd int) {
	r, at := l.spec.record, &t.at
	if at.existed {
		r.add(powerOp{kind: opCut, call: call, file: r.file(at.ino)})
		return
	}
	proc := procFD(t.tid, fd)
	real, err := os.Readlink(proc)
	rel, ok := below(r.root, real)
	var st unix.Stat_t
	if err != nil || !ok || unix.Stat(proc, &st) != nil {
		return
	}
	n := name{kind: entryFile, mode: fs.FileMode(st.Mode & 0o777), file: r.newFile(inode{st.Dev, st.Ino})}
	n.readMark(real)
	r.add(powerOp{kind: opMake, call: call, path: rel, made: n})
}

// readMark reads the mode, owner and attributes of what is at a path.
func (n *name) readMark(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	n.mode = info.Mode() & modeBits
	if n.kind == entryFile || n.kind == entryFolder {
		n.attributes, _ = readAttributes(path, info)
	}
}

// observeMark records what a file or folder has beside its bytes now, if that is something else than before.
func (l *life) observeMark(t *task, call int) {
	r, at := l.spec.record, &t.at
	abs := at.path
	if at.fd >= 0 {
		abs, _ = os.Readlink(procFD(t.tid, at.fd))
	}
	rel, ok := below(r.root, abs)
	info, err := os.Lstat(abs)
	if !ok || err != nil {
		return
	}
	op := powerOp{kind: opMark, call: call, path: rel}
	old, known := r.names[rel]
	if !known {
		return
	}
	if old.kind == entryFile {
		op.path, op.file = "", old.file
	}
	op.made = name{kind: old.kind}
	op.made.readMark(abs)
	if at.kind == kindTime {
		op.kind, op.made.time, op.made.timed, op.made.since = opTime, info.ModTime(), true, len(r.log.ops)+1
	} else if op.made.mode == old.mode && slices.Equal(op.made.attributes, old.attributes) {
		return
	}
	r.add(op)
}

func (l *life) observeName(t *task, call int) {
	r, at := l.spec.record, &t.at
	to, inside := below(r.root, at.path)
	switch at.name {
	case "unlink", "unlinkat", "rmdir":
		r.add(powerOp{kind: opRemove, call: call, path: to})
	case "rename", "renameat", "renameat2":
		if sameFile(at.old, at.path) {
			return
		}
		from, fromInside := below(r.root, at.old)
		exchange := at.name == "renameat2" && at.args[4]&unix.RENAME_EXCHANGE != 0
		switch {
		case exchange && fromInside && inside:
			r.add(powerOp{kind: opExchange, call: call, path: from, to: to})
		case exchange && fromInside:
			l.observeMade(t, call, from)
		case fromInside && inside:
			r.add(powerOp{kind: opRename, call: call, path: from, to: to})
		case fromInside:
			r.add(powerOp{kind: opRemove, call: call, path: from})
		default:
			l.observeMade(t, call, to)
		}
	default:
		l.observeMade(t, call, to)
	}
}

// sameFile reports whether two names are of one file: a rename of one to the other does nothing, and after any other
// the first is gone or stands for something else.
func sameFile(a, b string) bool {
	one, err := os.Lstat(a)
	other, otherErr := os.Lstat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// observeMade records a name that now stands for something: a new folder, link or file, or a known file.
func (l *life) observeMade(t *task, call int, rel string) {
	r := l.spec.record
	var st unix.Stat_t
	abs := filepath.Join(r.root, rel)
	if unix.Lstat(abs, &st) != nil {
		return
	}
	var n name
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		n.kind = entryFolder
	case unix.S_IFLNK:
		to, _ := os.Readlink(abs)
		n.kind, n.link = entryLink, []byte(to)
	case unix.S_IFREG:
		at := inode{st.Dev, st.Ino}
		_, known := r.ids[at]
		n.again = known && !strings.HasPrefix(t.at.name, "mknod")
		switch {
		case strings.HasPrefix(t.at.name, "mknod"):
			n.file = r.newFile(at)
		case !known:
			n.file = r.cameIn(call, at, abs)
		default:
			n.file = r.file(at)
		}
		n.kind = entryFile
	case unix.S_IFIFO:
		n.kind = entryPipe
	case unix.S_IFSOCK:
		n.kind = entrySocket
	default:
		return
	}
	n.readMark(abs)
	r.add(powerOp{kind: opMake, call: call, path: rel, made: n})
}
