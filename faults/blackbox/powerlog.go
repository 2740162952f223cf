package blackbox

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"time"
)

// opKind is what one operation of a log does to the files or names of a folder.
type opKind int

const (
	opWrite      opKind = iota // data at an offset of a file
	opCut                      // a file's size
	opSync                     // a file made durable, or a part of it
	opSyncFolder               // the names in a folder made durable
	opSyncAll                  // everything made durable
	opMake                     // a name made, for a new file or a known one
	opRename
	opExchange
	opRemove
	opMark // a file's or folder's mode, owner and attributes
	opTime // its time
	opSay  // bytes on standard output
)

func (k opKind) data() bool { return k == opWrite || k == opCut }
func (k opKind) names() bool {
	return k == opMake || k == opRename || k == opExchange || k == opRemove
}

// marks reports whether an operation changes what a file or folder has beside its bytes. Like names these
// changes are lost from the end only: a journal keeps both.
func (k opKind) marks() bool { return k == opMark || k == opTime }

// powerOp is one operation of the recorded run. Files are known by a number of their own: a name may come
// to mean another file, and a file number of the kernel's may be used again.
type powerOp struct {
	kind opKind
	call int // index in the trace
	file int
	off  int64
	data []byte
	size int64  // opCut: the new size; opSay: bytes written so far
	path string // of a mark: of the folder, or nothing where file says it
	to   string
	made name
	part span // opSync: of the file, all of it if empty
}

// span is a part of a file.
type span struct{ from, end int64 }

func (s span) empty() bool              { return s.from >= s.end }
func (s span) overlaps(other span) bool { return s.from < other.end && other.from < s.end }

// add makes a span reach as far as another one, too.
func (s *span) add(other span) {
	if s.empty() {
		*s = other
		return
	}
	s.from, s.end = min(s.from, other.from), max(s.end, other.end)
}

// written is the part that a write changes; a cut changes all from the new size on.
func (op *powerOp) written() span {
	if op.kind == opCut {
		return span{op.size, math.MaxInt64}
	}
	return span{op.off, op.off + int64(len(op.data))}
}

// name is what a path of a folder stands for.
type name struct {
	kind entryKind
	mode fs.FileMode
	file int    // of a file
	link []byte // of a link

	attributes []attribute
	// time is that of the template, or one that a program has set, which is timed then. It holds for a file that
	// no later operation writes: since counts those before.
	time  time.Time
	timed bool
	since int
	again bool // a further name of a file
}

// entry returns what a folder holds at a path that has this name, without a file's bytes. Its last write was the
// operation before changed, 0 for none.
func (n *name) entry(path string, changed int) entry {
	e := entry{path: path, kind: n.kind, mode: n.mode, data: n.link, attributes: n.attributes}
	if changed <= n.since {
		e.time, e.timed = n.time, n.timed
	}
	return e
}

// setMark takes over another mode, owner and attributes, and setTime another time.
func (n *name) setMark(from *name) { n.mode, n.attributes = from.mode, from.attributes }
func (n *name) setTime(from *name) { n.time, n.timed, n.since = from.time, from.timed, from.since }

// powerLog is what a run did to its folder, and when it promised what.
type powerLog struct {
	calls  []Call
	names  map[string]name // at the start, durable
	files  map[int][]byte  // likewise
	ops    []powerOp
	acks   []promise
	states []serviceState
	// unexplained are files whose content at the end does not follow from the log.
	unexplained []string
	// truncated says that the log was full before the run ended.
	truncated bool
}

// promise is an acknowledged effect and how many operations were done when it was given.
type promise struct {
	effect string
	ops    int
}

// serviceState is a state of the provider, and how many operations were done when it was first seen.
type serviceState struct {
	ops   int
	state any
	key   string
}

// applyName does one operation on names.
func applyName(names map[string]name, op *powerOp) {
	switch op.kind {
	case opMark, opTime:
		applyMark(names, op)
		return
	case opMake:
		n := op.made
		for _, other := range names {
			if n.again && other.isFile(n.file) {
				n.setMark(&other)
				n.setTime(&other)
				break
			}
		}
		names[op.path] = n
	case opRemove:
		delete(names, op.path)
	case opRename:
		moveName(names, op.path, op.to)
	case opExchange:
		const aside = "\x00aside"
		moveName(names, op.to, aside)
		moveName(names, op.path, op.to)
		moveName(names, aside, op.path)
	}
	ageFolder(names, op.path)
	ageFolder(names, op.to)
}

// ageFolder takes the time from the folder of a name that has changed.
func ageFolder(names map[string]name, p string) {
	if n, ok := names[path.Dir(p)]; ok && p != "" && !n.time.IsZero() {
		n.time, n.timed = time.Time{}, false
		names[path.Dir(p)] = n
	}
}

func (n *name) isFile(file int) bool { return n.kind == entryFile && n.file == file }

func applyMark(names map[string]name, op *powerOp) {
	for p, n := range names {
		if p != op.path && (op.path != "" || !n.isFile(op.file)) {
			continue
		}
		if op.kind == opMark {
			n.setMark(&op.made)
		} else {
			n.setTime(&op.made)
		}
		names[p] = n
	}
}

// moveName renames a path and all below it.
func moveName(names map[string]name, from, to string) {
	n, ok := names[from]
	if !ok || from == to {
		return
	}
	if n.kind == entryFolder {
		var below []string
		for p := range names {
			if strings.HasPrefix(p, from+"/") {
				below = append(below, p)
			}
		}
		for _, p := range below {
			names[to+strings.TrimPrefix(p, from)] = names[p]
			delete(names, p)
		}
	}
	delete(names, from)
	names[to] = n
}

// applyData returns a file's content after one operation, in a slice of its own.
func applyData(content []byte, op *powerOp) []byte {
	switch op.kind {
	case opWrite:
		end := int(op.off) + len(op.data)
		out := make([]byte, max(len(content), end))
		copy(out, content)
		copy(out[op.off:], op.data)
		return out
	case opCut:
		out := make([]byte, op.size)
		copy(out, content)
		return out
	}
	return content
}

// touches reports whether an operation changes a folder's names or marks.
func (op *powerOp) touches(dir string) bool {
	if op.kind.marks() {
		return op.path == dir
	}
	return op.kind.names() && (path.Dir(op.path) == dir || op.to != "" && path.Dir(op.to) == dir)
}

// namesFile reports whether an operation gives a file its name.
func (op *powerOp) namesFile(file int) bool {
	return op.kind == opMake && op.made.kind == entryFile && op.made.file == file
}

// filePaths holds the first path of each file, in the order of texts.
type filePaths map[int]string

func firstPaths(names map[string]name) filePaths {
	out := filePaths{}
	for p, n := range names {
		if first, ok := out[n.file]; n.kind == entryFile && (!ok || p < first) {
			out[n.file] = p
		}
	}
	return out
}

// before returns the first path of a file if that is another one.
func (f filePaths) before(path string, file int) string {
	if f[file] == path {
		return ""
	}
	return f[file]
}

// build returns a folder of some names, with the content of each file.
func build(names map[string]name, content func(file int) (data []byte, changed int)) folder {
	paths := make([]string, 0, len(names))
	for p := range names {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	out, first := make(folder, 0, len(paths)), firstPaths(names)
	for _, p := range paths {
		n := names[p]
		e := n.entry(p, 0)
		if n.kind == entryFile {
			data, changed := content(n.file)
			e = n.entry(p, changed)
			e.data, e.same = data, first.before(p, n.file)
		}
		out = append(out, e)
	}
	return out
}
