package blackbox

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// opKind is what one operation of a log does to the files or names of a folder.
type opKind int

const (
	opWrite      opKind = iota // data at an offset of a file
	opCut                      // a file's size
	opSync                     // a file made durable
	opSyncFolder               // the names in a folder made durable
	opSyncAll                  // everything made durable
	opMake                     // a name made, for a new file or a known one
	opRename
	opExchange
	opRemove
	opSay // bytes on standard output
)

func (k opKind) data() bool { return k == opWrite || k == opCut }
func (k opKind) names() bool {
	return k == opMake || k == opRename || k == opExchange || k == opRemove
}

// powerOp is one operation of the recorded run. Files are known by a number of their own: a name may come
// to mean another file, and a file number of the kernel's may be used again.
type powerOp struct {
	kind opKind
	call int // index in the trace
	file int
	off  int64
	data []byte
	size int64 // opCut: the new size; opSay: bytes written so far
	path string
	to   string
	made name
}

// name is what a path of a folder stands for.
type name struct {
	kind entryKind
	mode fs.FileMode
	file int    // of a file
	link []byte // of a link

	attributes []attribute
}

// entry returns what a folder holds at a path that has this name, without a file's bytes.
func (n *name) entry(path string) entry {
	return entry{path: path, kind: n.kind, mode: n.mode, data: n.link, attributes: n.attributes}
}

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
	case opMake:
		names[op.path] = op.made
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

// touches reports whether an operation on names changes a folder.
func (op *powerOp) touches(dir string) bool {
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
func build(names map[string]name, content func(file int) []byte) folder {
	paths := make([]string, 0, len(names))
	for p := range names {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	out, first := make(folder, 0, len(paths)), firstPaths(names)
	for _, p := range paths {
		n := names[p]
		e := n.entry(p)
		if n.kind == entryFile {
			e.data, e.same = content(n.file), first.before(p, n.file)
		}
		out = append(out, e)
	}
	return out
}
