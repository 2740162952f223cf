package blackbox

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// maxElsewhere bounds the size of a file outside the folder of which it is kept what was durable.
const maxElsewhere = 1 << 20

// noteElsewhere follows which files outside the folder hold what is not durable, for one may be moved in: what it held
// before the first write that no sync has followed. Only on the folder's own file system can it come from there.
func (l *life) noteElsewhere(t *task, s *stop) {
	r := l.spec.record
	if r == nil || s.folder {
		return
	}
	if s.kind == kindSyncAll {
		if s.durable {
			clear(r.elsewhere)
		}
		return
	}
	if _, inside := below(r.root, s.path); inside {
		return
	}
	switch {
	case s.syncs():
		r.syncedElsewhere(s.ino, s.path, s.part)
	case s.kind == kindWrite || s.kind == kindCut:
		if _, flags := fdInfo(t.tid, s.fd); !s.through(flags) {
			r.unsynced(s.ino, procFD(t.tid, s.fd))
		}
	}
}

// unsynced notes what a file outside the folder holds before a write.
func (r *recorder) unsynced(at inode, path string) {
	var st, root unix.Stat_t
	if unix.Stat(path, &st) != nil || unix.Stat(r.root, &root) != nil || st.Dev != root.Dev || st.Size > maxElsewhere {
		return
	}
	if _, ok := r.elsewhere[at]; ok && st.Size > 0 { // an empty one may be another that has come to have this number
		return
	}
	if before, err := readOwn(path); err == nil {
		if r.elsewhere == nil {
			r.elsewhere = map[inode][]byte{}
		}
		r.elsewhere[at] = before
	}
}

// syncedElsewhere notes that a file outside the folder was made durable, or a part of it.
func (r *recorder) syncedElsewhere(at inode, path string, part span) {
	durable, pending := r.elsewhere[at]
	if !pending {
		return
	}
	actual, err := readOwn(path)
	if part.empty() || err == nil && part.from == 0 && part.end >= int64(len(actual)) {
		delete(r.elsewhere, at)
		return
	}
	if end := min(part.end, int64(len(actual))); part.from < end {
		durable = append(bytes.Clone(durable), make([]byte, max(0, int(end)-len(durable)))...)
		copy(durable[part.from:end], actual[part.from:end])
		r.elsewhere[at] = durable
	}
}

// syncs reports whether a call makes a file durable before it returns.
func (s *stop) syncs() bool {
	return s.kind == kindSync || s.kind == kindSyncMap && s.args[2]&unix.MS_SYNC != 0
}

// through reports whether a write to a descriptor with some flags is durable when it returns.
func (s *stop) through(flags int64) bool {
	return flags&unix.O_DSYNC != 0 || s.nr == unix.SYS_PWRITEV2 && s.args[5]&(rwfDsync|rwfSync) != 0
}

// cameIn returns the number of a file that comes from outside the folder. What of it is not yet durable is pending.
func (r *recorder) cameIn(call int, at inode, path string) int {
	actual, _ := readOwn(path)
	durable, pending := r.elsewhere[at]
	if !pending {
		durable = actual
	}
	file := r.newFile(at)
	r.files[file], r.log.files[file] = bytes.Clone(durable), bytes.Clone(durable)
	r.reconcile(call, file, actual, span{})
	return file
}
