package checkpoint

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/paytwice/paytwice/resolver"
)

// Image is everything in a store at one moment. It is read only; images of one store share what did not
// change between them, so that taking one costs next to nothing.
//
// Shape: Rows and Leases by run id, Trail by number, Pruned in order: equal stores have equal images.
type Image struct {
	Rows   []*Row
	Leases []LeaseRow
	Trail  []resolver.TrailEntry
	Pruned []string
}

// Row is one saved run. It never changes once made: a save makes another Row, so its address stands for
// its content, and what is computed from a Row may be kept by its address.
type Row struct {
	RunID string
	// Seq orders runs by creation.
	Seq     int64
	Version int64

	text []byte
	// encode makes the text of a row that was saved without one.
	encode sync.Once
	once   sync.Once
	doc    *document
	err    error
}

// NewRow returns the row of a saved text. Nothing is checked before the row is read.
func NewRow(runID string, seq, version int64, text []byte) *Row {
	return &Row{RunID: runID, Seq: seq, Version: version, text: text}
}

func rowOf(d *document, runID string, seq, version int64) *Row {
	r := NewRow(runID, seq, version, d.text)
	r.once.Do(func() { r.doc = d })
	return r
}

// Text returns the saved JSON. It must not be changed.
func (r *Row) Text() []byte {
	r.encode.Do(func() {
		if r.text == nil && r.doc != nil {
			r.text, r.err = resolver.EncodeState(r.doc.state)
		}
	})
	return r.text
}

// State returns the saved state. It is shared and must not be changed, not even its Version, which is
// zero: the row's Version counts.
//
// Errors: resolver.ErrBadState with the field.
func (r *Row) State() (*resolver.TaskState, error) {
	d, err := r.document()
	if err != nil {
		return nil, err
	}
	return d.state, nil
}

// known returns the state of a row that can be read, an empty one where there is none.
func (r *Row) known() *resolver.TaskState {
	if r != nil {
		if s, err := r.State(); err == nil {
			return s
		}
	}
	return &resolver.TaskState{}
}

func (r *Row) document() (*document, error) {
	r.once.Do(func() { r.doc, r.err = readDocument(r.text, r.RunID) })
	return r.doc, r.err
}

// Equal reports whether two rows hold the same.
func (r *Row) Equal(o *Row) bool {
	if r == nil || o == nil {
		return r == o
	}
	return r.RunID == o.RunID && r.Seq == o.Seq && r.Version == o.Version && bytes.Equal(r.Text(), o.Text())
}

// Same reports whether two images of one Memory were taken without a change between them. False may also
// mean that a change put back what was there: it compares addresses, not contents.
func (i *Image) Same(o *Image) bool {
	return i == o || sameSlice(i.Rows, o.Rows) && sameSlice(i.Leases, o.Leases) && sameSlice(i.Trail, o.Trail) && sameSlice(i.Pruned, o.Pruned)
}

func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// bySeq returns rows in the order of creation.
func bySeq(rows []*Row) []*Row {
	out := slices.Clone(rows)
	slices.SortFunc(out, func(a, b *Row) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// trailEnd returns the number and chain value that the next entry follows.
func trailEnd(trail []resolver.TrailEntry) (int64, string) {
	if len(trail) == 0 {
		return 0, ""
	}
	last := trail[len(trail)-1]
	return last.Seq, last.Chain
}
