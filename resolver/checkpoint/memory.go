package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// knownLimit bounds how many decoded documents a Memory keeps.
const knownLimit = 512

// Memory is a Store that is not durable: it dies with its process. It keeps the contract of SQLite to
// the letter, and what it saves goes through the same encoding and decoding, unless Options.Unencoded.
//
// Concurrency: safe for any number of goroutines.
type Memory struct {
	opts Options

	mu  sync.Mutex
	img Image
	// shared says that an Image outside has the slices of img: they are copied before they change.
	shared bool
	// latest is the latest snapshot, while nothing has changed since.
	latest *Image
	// known holds documents by their text. Lives that start from one image save the same texts again and
	// again; decoding them each time would cost more than all the rest.
	known map[string]*document
}

// NewMemory returns an empty store in memory.
func NewMemory(opts Options) *Memory {
	return &Memory{opts: opts.filled(), known: map[string]*document{}}
}

// Durable returns false: what is saved here ends with the process.
func (m *Memory) Durable() bool { return false }

// Close does nothing.
func (m *Memory) Close() error { return nil }

// Snapshot returns everything in the store now. It takes well under a microsecond and copies nothing.
func (m *Memory) Snapshot() *Image {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.latest == nil {
		img := m.img
		// Without spare room an append by whoever holds the image can't reach our entries.
		img.Trail = slices.Clip(img.Trail)
		m.shared, m.latest = true, &img
	}
	return m.latest
}

// Restore puts the store back to an image, of this store or another. It copies nothing: the image and
// what it holds must not be changed afterwards.
func (m *Memory) Restore(img *Image) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.img, m.shared, m.latest = *img, true, nil
	m.img.Trail = slices.Clip(m.img.Trail)
}

// Image returns Snapshot's image.
func (m *Memory) Image(context.Context) (*Image, error) { return m.Snapshot(), nil }

// Create saves a new run.
func (m *Memory) Create(ctx context.Context, s *resolver.TaskState) error {
	return m.write(ctx, "create", s.RunID, func(now time.Time) error {
		at, taken := m.rowAt(s.RunID)
		d, err := m.document(s, nil, now)
		if err != nil {
			return err
		}
		if _, pruned := slices.BinarySearch(m.img.Pruned, s.RunID); taken || pruned {
			return resolver.ErrRunExists
		}
		m.img.Rows = slices.Insert(m.img.Rows, at, rowOf(d, s.RunID, m.nextSeq(), 1))
		s.Version, s.UpdatedAt = 1, now
		return nil
	})
}

// Load returns a run, a copy of its own.
func (m *Memory) Load(ctx context.Context, runID string) (*resolver.TaskState, error) {
	if err := ctx.Err(); err != nil {
		return nil, m.fail("load", runID, err)
	}
	m.mu.Lock()
	at, ok := m.rowAt(runID)
	if !ok {
		m.mu.Unlock()
		return nil, m.fail("load", runID, resolver.ErrUnknownRun)
	}
	row := m.img.Rows[at]
	m.mu.Unlock()
	d, err := row.document()
	if err != nil {
		return nil, m.fail("load", runID, err)
	}
	if row.Version < 1 {
		return nil, m.fail("load", runID, badVersion(row.Version))
	}
	s := cloneState(d.state)
	s.Version = row.Version
	return s, nil
}

// Save replaces a run and appends to the trail.
func (m *Memory) Save(ctx context.Context, s *resolver.TaskState, lease resolver.Lease, trail ...resolver.TrailEntry) error {
	return m.write(ctx, "save", s.RunID, func(now time.Time) error {
		at, ok := m.rowAt(s.RunID)
		var old *Row
		if ok {
			old = m.img.Rows[at]
		}
		d, err := m.document(s, old, now)
		if err != nil {
			return err
		}
		if !ok {
			return resolver.ErrUnknownRun
		}
		held, _ := m.leaseAt(s.RunID)
		if err := mayReplace(old.Version, s.Version, held, lease); err != nil {
			return err
		}
		seq, chain := trailEnd(m.img.Trail)
		entries, err := chainOn(seq, chain, s.RunID, now, trail)
		if err != nil {
			return err
		}
		m.img.Rows[at] = rowOf(d, s.RunID, old.Seq, old.Version+1)
		m.img.Trail = append(m.img.Trail, entries...)
		s.Version, s.UpdatedAt = old.Version+1, now
		return nil
	})
}

// List returns the runs in the order they were created.
func (m *Memory) List(ctx context.Context) ([]resolver.RunSummary, error) {
	if err := ctx.Err(); err != nil {
		return nil, m.fail("list", "", err)
	}
	out := []resolver.RunSummary{}
	for _, row := range bySeq(m.Snapshot().Rows) {
		d, err := row.document()
		if err != nil {
			return nil, m.fail("list", row.RunID, err)
		}
		out = append(out, d.summary())
	}
	return out, nil
}

// Trail returns the trail of one run, or with an empty id of all.
func (m *Memory) Trail(ctx context.Context, runID string) ([]resolver.TrailEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, m.fail("trail", runID, err)
	}
	out := []resolver.TrailEntry{}
	for _, e := range m.Snapshot().Trail {
		if runID == "" || e.RunID == runID {
			out = append(out, e)
		}
	}
	return out, nil
}

// write runs one change under the lock, on slices that no image shares. A change makes its checks before
// its first assignment, so an error leaves everything as it was.
func (m *Memory) write(ctx context.Context, op, runID string, change func(now time.Time) error) error {
	now := m.opts.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	err := ctx.Err()
	if err == nil {
		m.unshare()
		err = change(now)
	}
	return m.fail(op, runID, err)
}

func (m *Memory) unshare() {
	m.latest = nil
	if !m.shared {
		return
	}
	m.img.Rows = slices.Clone(m.img.Rows)
	m.img.Leases = slices.Clone(m.img.Leases)
	m.img.Pruned = slices.Clone(m.img.Pruned)
	// The trail is only appended to, and images have no room to see what is appended.
	m.shared = false
}

// document returns the saved form of a state, in the place of a row or, with nil, as the first of its run.
func (m *Memory) document(s *resolver.TaskState, old *Row, now time.Time) (*document, error) {
	if m.opts.Unencoded {
		return kept(s, old.known(), now)
	}
	text, err := stamped(s, now)
	if err != nil {
		return nil, err
	}
	if d, ok := m.known[string(text)]; ok {
		return d, nil
	}
	d, err := readDocument(text, s.RunID)
	if err != nil {
		return nil, err
	}
	if len(m.known) >= knownLimit {
		clear(m.known)
	}
	m.known[string(text)] = d
	return d, nil
}

func (m *Memory) rowAt(runID string) (int, bool) {
	return slices.BinarySearchFunc(m.img.Rows, runID, func(r *Row, id string) int { return strings.Compare(r.RunID, id) })
}

// nextSeq is one above the highest in use, as SQLite numbers its rows.
func (m *Memory) nextSeq() int64 {
	var highest int64
	for _, r := range m.img.Rows {
		highest = max(highest, r.Seq)
	}
	return highest + 1
}

func (m *Memory) fail(op, runID string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("memory store: %s: %w", about(op, runID), err)
}
