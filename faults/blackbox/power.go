package blackbox

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
)

// The model of a power cut. Of each file, any of the writes and cuts since its last sync may be lost, each
// by itself; the last write may be torn at a sector. Of the names made, moved and removed, the last ones
// may be lost, in the order in which they happened, and with them what files have beside their bytes: modes,
// owners, attributes, times. Names become durable with a sync of their folder; a new file's also with its first own
// sync; what a file has beside its bytes with each. A sync of everything makes everything durable.
//
// That is what journaling file systems give at worst, not what any one does: see the measurements of
// Pillai et al., "All File Systems Are Not Created Equal" (OSDI 2014).

// sectorBytes is the unit in which a device writes all or nothing.
const sectorBytes = 512

// PowerLimits bound the model of power loss. They are part of the model and stand in every report. Zero
// fields mean the defaults.
type PowerLimits struct {
	// Subsets is up to how many pending writes all their subsets are taken; beyond, all lost, each one
	// lost, each one kept, and all of each file lost. Default 8.
	Subsets int
	// Names is up to how many pending changes of names each number of lost ones is taken; beyond, all
	// and these many last ones. Default 8.
	Names int
	// Images is how many different folders are recovered; the simple ones come first. Default 2,000.
	Images int
	// Variants is how many are looked at. Default 2,000,000.
	Variants int
}

func (l PowerLimits) withDefaults() PowerLimits {
	setDefault(&l.Subsets, 8)
	setDefault(&l.Names, 8)
	setDefault(&l.Images, 2_000)
	setDefault(&l.Variants, 2_000_000)
	return l
}

func (l PowerLimits) String() string {
	return fmt.Sprintf("all subsets of up to %d unsynced writes, up to %d unsynced names, at most %d folders", l.Subsets, l.Names, l.Images)
}

// loss is what a cut takes away: the numbers of the operations on data that are lost, in order, how many
// of the last operations on names, and the one write that is torn (-1 for none).
type loss struct {
	lost  []int
	names int
	torn  int
	at    int // bytes of the torn write that stay
}

// recipe is one folder that a cut can leave.
type recipe struct {
	ops    int // operations done at the cut
	state  int // index of the provider's state
	loss   loss
	simple bool
	rank   uint64
}

// found is a folder and a state that recipes lead to. The last recipe counts: it has made the most
// promises.
type found struct {
	key    imageKey
	recipe recipe
}

type imageKey struct {
	sum   digest
	state int
}

// disk is a log's folder on the way: what is durable and what is pending.
type disk struct {
	log     *powerLog
	names   map[string]name // durable
	files   map[int][]byte  // durable
	version map[int]int     // counts changes of files
	written map[int]int     // by files, the number of the last durable write, from 1
	data    []int           // pending, numbers of operations
	moves   []int           // likewise, on names
	synced  map[int]bool    // files that were synced since they were made
}

func newDisk(log *powerLog) *disk {
	return &disk{log: log, names: maps.Clone(log.names), files: maps.Clone(log.files), version: map[int]int{}, written: map[int]int{}, synced: map[int]bool{}}
}

// do takes in the i-th operation and reports whether folders are possible that were not before.
func (d *disk) do(i int) bool {
	op := &d.log.ops[i]
	switch {
	case op.kind.data():
		d.data = append(d.data, i)
		return true
	case op.kind.names(), op.kind.marks():
		d.moves = append(d.moves, i)
		return true
	case op.kind == opSync:
		d.settle(op.file, op.part)
		if !d.synced[op.file] {
			d.synced[op.file] = true
			d.settleNames(func(m *powerOp) bool { return m.namesFile(op.file) })
		}
		d.settleMarks(op.file) // its name is there by now
	case op.kind == opSyncFolder:
		d.settleNames(func(m *powerOp) bool { return m.touches(op.path) })
	case op.kind == opSyncAll:
		for _, i := range slices.Clone(d.data) {
			d.settle(d.log.ops[i].file, span{})
		}
		d.settleNames(func(*powerOp) bool { return true })
	case op.kind == opSay:
		return true
	}
	return false
}

// settle makes what is pending of a part of a file durable, of the whole file if the part is empty.
func (d *disk) settle(file int, part span) {
	settled := d.within(file, part)
	rest := d.data[:0]
	for _, i := range d.data {
		op := &d.log.ops[i]
		if op.file != file || !part.empty() && !settled[i] {
			rest = append(rest, i)
			continue
		}
		d.files[file] = applyData(d.files[file], op)
		d.version[file]++
		d.written[file] = max(d.written[file], i+1)
	}
	d.data = rest
}

// within returns which pending operations a sync of a part of a file makes durable: the writes that touch it, each as
// a whole, and all cuts, since a size is no part; and with each what was done before it to the same bytes, for a
// loss of that would come after it.
func (d *disk) within(file int, part span) map[int]bool {
	out := map[int]bool{}
	parts := []span{part}
	for _, i := range slices.Backward(d.data) {
		op := &d.log.ops[i]
		if op.file != file {
			continue
		}
		if op.kind == opCut || slices.ContainsFunc(parts, op.written().overlaps) {
			out[i] = true
			parts = append(parts, op.written())
		}
	}
	return out
}

// settleMarks makes what is pending of a file's marks durable, and no names.
func (d *disk) settleMarks(file int) {
	d.moves = slices.DeleteFunc(slices.Clone(d.moves), func(i int) bool {
		op := &d.log.ops[i]
		ours := op.kind.marks() && op.path == "" && op.file == file
		if ours {
			applyName(d.names, op)
		}
		return ours
	})
}

// settleNames makes all pending names up to the last that matches durable.
func (d *disk) settleNames(match func(*powerOp) bool) {
	for k := len(d.moves) - 1; k >= 0; k-- {
		if match(&d.log.ops[d.moves[k]]) {
			for _, i := range d.moves[:k+1] {
				applyName(d.names, &d.log.ops[i])
			}
			d.moves = slices.Clone(d.moves[k+1:])
			return
		}
	}
}

// namesAfter returns the names when some of the last pending changes are lost.
func (d *disk) namesAfter(lost int) map[string]name {
	names := maps.Clone(d.names)
	for _, i := range d.moves[:len(d.moves)-lost] {
		applyName(names, &d.log.ops[i])
	}
	return names
}

// content returns a file as a loss leaves it.
func (d *disk) content(file int, l loss) []byte {
	content := d.files[file]
	for _, i := range d.data {
		op := &d.log.ops[i]
		if op.file != file || slices.Contains(l.lost, i) {
			continue
		}
		if i == l.torn {
			torn := *op
			torn.data = op.data[:l.at]
			op = &torn
		}
		content = applyData(content, op)
	}
	return content
}

// changed returns the number of the last write of a file that a loss leaves, from 1; 0 for none.
func (d *disk) changed(file int, l loss) int {
	last := d.written[file]
	for _, i := range d.data {
		if d.log.ops[i].file == file && !slices.Contains(l.lost, i) {
			last = max(last, i+1)
		}
	}
	return last
}

// losses calls yield with every loss that the limits take, simple ones marked.
func (d *disk) losses(limits PowerLimits, yield func(l loss, simple bool)) {
	kept := len(d.moves)
	for n := 0; n <= kept; n++ {
		if n > limits.Names && n < kept {
			continue
		}
		d.dataLosses(limits, func(lost []int, simple bool) { yield(loss{lost, n, -1, 0}, simple) })
	}
	if len(d.data) == 0 {
		return
	}
	// A torn write: the last one, cut where a sector of the file ends, the others kept or lost.
	last := d.data[len(d.data)-1]
	off, size := int(d.log.ops[last].off), len(d.log.ops[last].data)
	first, middle := sectorBytes-off%sectorBytes, (off+size/2)/sectorBytes*sectorBytes-off
	for _, at := range slices.Compact([]int{first, middle}) {
		if at > 0 && at < size {
			yield(loss{nil, 0, last, at}, true)
			yield(loss{slices.Clone(d.data[:len(d.data)-1]), 0, last, at}, true)
		}
	}
}

func (d *disk) dataLosses(limits PowerLimits, yield func(lost []int, simple bool)) {
	n := len(d.data)
	if n <= limits.Subsets {
		for mask := range 1 << n {
			var lost []int
			for k, i := range d.data {
				if mask&(1<<k) != 0 {
					lost = append(lost, i)
				}
			}
			yield(lost, len(lost) <= 1 || len(lost) >= n-1)
		}
		return
	}
	yield(nil, true)
	yield(slices.Clone(d.data), true)
	byFile := map[int][]int{}
	for k, i := range d.data {
		yield([]int{i}, true)
		yield(slices.Delete(slices.Clone(d.data), k, k+1), true)
		byFile[d.log.ops[i].file] = append(byFile[d.log.ops[i].file], i)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		if len(byFile) > 1 {
			yield(byFile[file], true)
		}
	}
}

// search finds the different folders that cuts can leave.
type search struct {
	log      *powerLog
	limits   PowerLimits
	found    map[imageKey]int
	list     []found
	variants int
	full     bool // the bound of variants was reached
	sums     map[string]digest
}

// enumerate returns every different folder and provider's state that a cut can leave, in the order in
// which they are first possible.
func enumerate(log *powerLog, limits PowerLimits) *search {
	s := &search{log: log, limits: limits, found: map[imageKey]int{}, sums: map[string]digest{}}
	d := newDisk(log)
	s.cut(d, 0)
	for i := range log.ops {
		if more := d.do(i); more || s.stateChanges(i+1) {
			s.cut(d, i+1)
		}
		if s.full {
			break
		}
	}
	return s
}

func (s *search) stateChanges(ops int) bool {
	return slices.ContainsFunc(s.log.states, func(st serviceState) bool { return st.ops == ops })
}

// statesAt returns the provider's states that a cut may meet.
func (s *search) statesAt(ops int) []int {
	out := []int{0}
	for i, st := range s.log.states {
		switch {
		case st.ops < ops:
			out = []int{i}
		case st.ops == ops && i > 0:
			out = append(out, i)
		}
	}
	return out
}

// view is a folder's names when some of the last changes are lost, with the files that have pending
// writes apart from the rest.
type view struct {
	rest    digest
	pending []pendingName
}

type pendingName struct {
	name
	path, same string
}

func (p *pendingName) digest(changed int, data digest) digest {
	e := p.entry(p.path, changed)
	e.same = p.same
	return e.digest(data)
}

func (s *search) cut(d *disk, ops int) {
	states := s.statesAt(ops)
	views := map[int]view{} // by lost names
	d.losses(s.limits, func(l loss, simple bool) {
		if s.variants++; s.variants > s.limits.Variants {
			s.full = true
			return
		}
		v, ok := views[l.names]
		if !ok {
			v = s.viewOf(d, l.names)
			views[l.names] = v
		}
		sum := v.rest
		for i := range v.pending {
			p := &v.pending[i]
			sum.add(p.digest(d.changed(p.file, l), s.fileSum(d, p.file, l)))
		}
		for _, state := range states {
			s.add(imageKey{sum, state}, recipe{ops, state, l, simple, rankOf(ops, l)})
		}
	})
}

func (s *search) viewOf(d *disk, lost int) view {
	var v view
	pending := map[int]bool{}
	for _, i := range d.data {
		pending[d.log.ops[i].file] = true
	}
	names := d.namesAfter(lost)
	first := firstPaths(names)
	for p, n := range names {
		if n.kind != entryFile {
			e := n.entry(p, 0)
			v.rest.add(e.digest(sha256.Sum256(n.link)))
			continue
		}
		f := pendingName{n, p, first.before(p, n.file)}
		if pending[n.file] {
			v.pending = append(v.pending, f)
		} else {
			v.rest.add(f.digest(d.written[n.file], s.fileSum(d, n.file, loss{torn: -1})))
		}
	}
	return v
}

func (s *search) add(key imageKey, r recipe) {
	i, ok := s.found[key]
	if !ok {
		s.found[key] = len(s.list)
		s.list = append(s.list, found{key, r})
		return
	}
	r.simple = r.simple || s.list[i].recipe.simple
	s.list[i].recipe = r
}

// fileSum returns the digest of a file as a loss leaves it, computed once.
func (s *search) fileSum(d *disk, file int, l loss) digest {
	key := binary.AppendVarint(nil, int64(file))
	key = binary.AppendVarint(key, int64(d.version[file]))
	for _, i := range d.data {
		if d.log.ops[i].file != file || slices.Contains(l.lost, i) {
			continue
		}
		key = binary.AppendVarint(key, int64(i))
		if i == l.torn {
			key = binary.AppendVarint(key, -int64(l.at))
		}
	}
	sum, ok := s.sums[string(key)]
	if !ok {
		sum = sha256.Sum256(d.content(file, l))
		s.sums[string(key)] = sum
	}
	return sum
}

// rankOf orders what is not simple, in a way that depends on nothing random and favours no part.
func rankOf(ops int, l loss) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, ops, l.lost, l.names, l.torn, l.at)
	return h.Sum64()
}

// choose returns at most the limit of the folders found, ordered by their cuts, and how many it left out.
func (s *search) choose() (chosen []found, leftOut int) {
	list := slices.Clone(s.list)
	if over := len(list) - s.limits.Images; over > 0 {
		slices.SortStableFunc(list, func(a, b found) int {
			switch {
			case a.recipe.simple != b.recipe.simple:
				return map[bool]int{true: -1, false: 1}[a.recipe.simple]
			case a.recipe.rank < b.recipe.rank:
				return -1
			case a.recipe.rank > b.recipe.rank:
				return 1
			}
			return 0
		})
		list, leftOut = list[:s.limits.Images], over
	}
	slices.SortStableFunc(list, func(a, b found) int { return a.recipe.ops - b.recipe.ops })
	return list, leftOut
}
