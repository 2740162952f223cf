package blackbox

import (
	"bytes"
	"maps"
	"math"
	"path/filepath"
	"slices"
)

// maxLogBytes bounds the data that a log keeps.
const maxLogBytes = 256 << 20

// inode names a file while it exists.
type inode struct{ dev, ino uint64 }

// recorder turns the calls of a run into a log, and follows what the folder should hold.
type recorder struct {
	root   string
	log    *powerLog
	ids    map[inode]int
	names  map[string]name
	files  map[int][]byte
	unread map[string]bool // written, and what was written can't be read
	// elsewhere holds what is durable of files outside the folder that were written since.
	elsewhere map[inode][]byte
	said      int64
	kept      int64
}

// add appends an operation and applies it to what the folder should hold.
func (r *recorder) add(op powerOp) {
	if r.kept += int64(len(op.data)); r.kept > maxLogBytes {
		r.log.truncated = true
		return
	}
	r.log.ops = append(r.log.ops, op)
	switch {
	case op.kind.names(), op.kind.marks():
		applyName(r.names, &op)
	case op.kind.data():
		r.files[op.file] = applyInPlace(r.files[op.file], &op)
	}
}

// applyInPlace is applyData on content that nobody else holds.
func applyInPlace(content []byte, op *powerOp) []byte {
	size := op.size
	if op.kind == opWrite {
		size = max(int64(len(content)), op.off+int64(len(op.data)))
	}
	if grow := size - int64(len(content)); grow > 0 {
		content = append(content, make([]byte, grow)...)
	}
	content = content[:size]
	if op.kind == opWrite {
		copy(content[op.off:], op.data)
	}
	return content
}

// newFile returns the number of a file that has just come to be.
func (r *recorder) newFile(at inode) int {
	id := len(r.files)
	r.ids[at], r.files[id] = id, nil
	delete(r.elsewhere, at)
	return id
}

// file returns the number of a file, a new one for a file never seen.
func (r *recorder) file(at inode) int {
	if id, ok := r.ids[at]; ok {
		return id
	}
	return r.newFile(at)
}

// reconcile records what a file holds beyond the log, as stores through a map leave it: in writes of their own what
// lies in a part, if that is not empty, and what lies around it.
func (r *recorder) reconcile(call, file int, actual []byte, part span) {
	have := r.files[file]
	if bytes.Equal(have, actual) {
		return
	}
	if len(have) != len(actual) {
		r.add(powerOp{kind: opCut, call: call, file: file, size: int64(len(actual))})
	}
	for _, p := range []span{{0, part.from}, part, {part.end, math.MaxInt64}} {
		r.reconcilePart(call, file, actual, p)
	}
}

// reconcilePart records one write from the first difference in a part to the last: a map has no write boundaries.
func (r *recorder) reconcilePart(call, file int, actual []byte, part span) {
	have := r.files[file]
	size := int64(min(len(have), len(actual))) // they are as long, unless the log is full
	first, last := min(part.from, size), min(part.end, size)
	for first < last && have[first] == actual[first] {
		first++
	}
	for last > first && have[last-1] == actual[last-1] {
		last--
	}
	if first < last {
		r.add(powerOp{kind: opWrite, call: call, file: file, off: first, data: bytes.Clone(actual[first:last])})
	}
}

// snapshot notes the provider's state, if it has changed.
func (r *recorder) snapshot(s Service) {
	state, key := s.Snapshot()
	if n := len(r.log.states); n > 0 && r.log.states[n-1].key == key {
		return
	}
	r.log.states = append(r.log.states, serviceState{len(r.log.ops), state, key})
}

// finish completes the log once the run has ended in a folder.
func (r *recorder) finish(res *lifeResult, end folder, ignore globs) *powerLog {
	log := r.log
	log.calls = res.calls
	for _, a := range res.acks {
		for i, op := range log.ops {
			if op.kind == opSay && op.size >= a.end {
				log.acks = append(log.acks, promise{a.effect, i + 1})
				break
			}
		}
	}
	want := map[string]entry{}
	for _, e := range build(r.names, func(f int) ([]byte, int) { return r.files[f], 0 }) {
		want[e.path] = e
	}
	got := map[string]entry{}
	for _, e := range end {
		got[e.path] = e
	}
	differs := r.unread
	for _, m := range []map[string]entry{want, got} {
		for p := range m {
			a, inA := want[p]
			b, inB := got[p]
			if (inA != inB || !a.holdsLike(&b)) && !ignore.match(filepath.ToSlash(p)) {
				differs[p] = true
			}
		}
	}
	log.unexplained = slices.Sorted(maps.Keys(differs))
	return log
}
