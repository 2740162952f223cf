package explorer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// binaryWorld is the World of a child of somebody's test binary: a folder, and a provider in the parent.
type binaryWorld struct {
	p     Program
	path  string // the binary that is started, with args
	task  string
	args  []string
	root  string
	temp  string // the children's folder for temporary files, empty for the parent's
	next  atomic.Int64
	reads *reads
	// lines: the lives are told to somebody, with what they write and the lines of the program that pass the points.
	lines atomic.Bool

	mu     sync.Mutex
	points map[string]bool // passed in any life; true where a kill landed
	// beginning is the key of the state before the first life.
	beginning string
}

// binaryState is what survives a process: its folder, and what the provider remembers.
type binaryState struct {
	dir      string
	provider provider.State[provider.Payload]
	// now is the provider's clock when the next life begins.
	now time.Time
	// hung says why the life before it was ended, empty if it was not. Such a state is an end.
	hung string
	// failed is what the test said when Run failed it, in this life or an earlier one, empty if none did.
	failed string
	key    string
}

// Key implements State.
func (s *binaryState) Key() string { return s.key }

// Start implements World.
func (w *binaryWorld) Start(context.Context) (State, error) {
	dir, err := w.folder()
	if err != nil {
		return nil, err
	}
	s, err := w.state(dir, binaryState{now: firstDay})
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beginning = s.Key()
	return s, nil
}

func (w *binaryWorld) folder() (string, error) {
	dir := filepath.Join(w.root, "case-"+strconv.FormatInt(w.next.Add(1), 10))
	return dir, os.Mkdir(dir, 0o755)
}

// state gives a state its folder, and names it by the content of that, the provider's memory and clock, and what
// the lives before it came to.
func (w *binaryWorld) state(dir string, s binaryState) (*binaryState, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %t %s\n", s.hung, s.failed != "", s.now)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return describe(sum, dir, path, e)
	})
	if err != nil {
		return nil, fmt.Errorf("state of a case: %w", err)
	}
	memory, err := json.Marshal(s.provider)
	if err != nil {
		return nil, err
	}
	sum.Write(memory)
	s.dir, s.key = dir, hex.EncodeToString(sum.Sum(nil))
	return &s, nil
}

// processBegan is when this process began, as the clocks of file systems may say it: some count whole seconds.
var processBegan = time.Now().Add(-2 * time.Second)

// setTime tells a time that a program set for a file from one at which it wrote to the file, empty: that differs
// from run to run and would keep equal states apart. So would one that is counted from now, of which only the
// side is told; others are mostly whole seconds.
func setTime(t time.Time) string {
	switch now := time.Now(); {
	case t.After(processBegan) && t.Before(now.Add(2*time.Second)):
		return ""
	case t.Nanosecond() == 0:
		return t.UTC().String()
	case t.After(now):
		return "later"
	}
	return "earlier"
}

// describe writes what makes a file's state: its name, its kind and mode, a time that was set for it, and its
// content, or where a link points to.
func describe(w io.Writer, dir, path string, e fs.DirEntry) error {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	info, err := e.Info()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%q %s %s\n", name, info.Mode(), setTime(info.ModTime()))
	var content []byte
	switch info.Mode().Type() {
	case 0:
		content, err = os.ReadFile(path)
	case fs.ModeSymlink:
		var target string
		target, err = os.Readlink(path)
		content = []byte(target)
	}
	fmt.Fprintf(w, "%d\n%s", len(content), content)
	return err
}

// Accepts implements World: the provider's answers can be lost.
func (w *binaryWorld) Accepts(site faults.Site, verb faults.Verb) bool {
	return site.Seam == providerSeam && (verb == faults.LoseRequest || verb == faults.LoseResponse || verb == faults.Unavailable || verb == faults.Refuse)
}

// Outcome implements World. Of a program that hung there is nothing more to say: it was not finished.
func (w *binaryWorld) Outcome(_ context.Context, s State) (*check.Outcome, error) {
	state := s.(*binaryState)
	o := &check.Outcome{NoTrail: true, Ledger: effectsOf(state.provider)}
	if state.hung != "" {
		o.Broken = []history.Violation{check.NeverEnds(state.hung)}
	} else {
		o.Broken = w.p.broken(o.Ledger)
	}
	if state.failed != "" {
		o.Broken = append([]history.Violation{{Invariant: "test-failed", Detail: "Run failed the test: " + state.failed}}, o.Broken...)
		// It stopped there: what is missing may have been still to come.
		o.Broken = slices.DeleteFunc(o.Broken, func(v history.Violation) bool { return v.Invariant == "lost-write" })
	}
	return o, nil
}

func effectsOf(s provider.State[provider.Payload]) []history.Effect {
	var out []history.Effect
	for _, e := range s.Ledger {
		out = append(out, history.Effect{Seq: e.Seq, Tool: e.Tool, Intent: e.Payload.Order, OperationID: e.Operation, RecordID: e.Record, Subject: e.Payload.Order,
			AmountCents: e.Payload.AmountCents, Currency: e.Payload.Currency, Reason: e.Payload.Reason, Reversed: !e.ReversedAt.IsZero(), At: e.At})
	}
	return out
}

// Run implements World: one process lives the planned life, the others of Program.AtOnce an undisturbed one
// beside it.
func (w *binaryWorld) Run(ctx context.Context, from State, life faults.Life) (Incarnation, error) {
	// Of several processes the first may come last and find everything done. From the beginning that says
	// nothing about its points, so it is tried again.
	tries := 1
	if w.p.AtOnce > 1 && len(life) == 0 && from.Key() == w.first() {
		tries = mostTries
	}
	for {
		inc, err := w.start(ctx, from, life)
		if tries--; err != nil || len(inc.Points) > 0 || tries == 0 {
			return inc, err
		}
	}
}

func (w *binaryWorld) first() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.beginning
}

// mostTries bounds how often an undisturbed start of several processes is tried.
const mostTries = 20

// start starts the processes of one life together.
func (w *binaryWorld) start(ctx context.Context, from State, life faults.Life) (Incarnation, error) {
	before := from.(*binaryState)
	dir, err := w.folder()
	if err != nil {
		return Incarnation{}, err
	}
	err = child.CopyFolder(dir, before.dir)
	runtime.KeepAlive(before) // its folder goes with it
	if err != nil {
		return Incarnation{}, fmt.Errorf("copy of a state: %w", err)
	}
	clock := &clock{from: before.now}
	double := provider.NewDouble(w.p.Provider, clock.now)
	double.Restore(before.provider)
	together := newBarrier(w.p.AtOnce)
	lives, errs := make([]*binaryLife, w.p.AtOnce), make([]error, w.p.AtOnce)
	var all sync.WaitGroup
	for i := range lives {
		lives[i] = &binaryLife{binaryWorld: w, number: i + 1, said: &said{}, double: double, clock: clock, together: together, calls: map[string]int{}, answers: map[string]string{}, started: make(chan struct{})}
		if i == 0 {
			lives[i].life = life
		}
		all.Go(func() { errs[i] = lives[i].live(ctx, dir) })
	}
	all.Wait()
	if err := firstError(errs...); err != nil {
		return Incarnation{}, err
	}
	return w.incarnation(dir, lives, before.failed)
}

// incarnation puts the lives of one start together: the first's points, and an end that is good only if
// all ends are. One in which Run failed the test is an end: there is nothing to be mended by another life.
func (w *binaryWorld) incarnation(dir string, lives []*binaryLife, before string) (Incarnation, error) {
	first := lives[0]
	inc := Incarnation{Life: history.Life{Events: first.events, Ended: first.lived.Ended, Error: first.lived.Error, PID: first.lived.PID}}
	if w.lines.Load() {
		inc.Life.Output = output(first.said.written(), first.lived.Stderr)
	}
	hung := ""
	for _, l := range lives {
		if l.lived.Hung {
			hung = fmt.Sprintf("a life did not end within %s and was ended", w.p.Timeout)
		}
		if inc.Life.Ended == history.Done && l.lived.Ended == history.Failed {
			inc.Life.Ended, inc.Life.Error = history.Failed, fmt.Sprintf("process %d: %s", l.number, l.lived.Error)
		}
	}
	if err := first.passages(&inc); err != nil {
		return inc, err
	}
	failed := firstFailed(lives)
	if failed != "" {
		inc.Life.Error = failed
	}
	if failed != "" && inc.Life.Ended == history.Failed {
		inc.Life.Ended = history.Done
	}
	if hung != "" {
		inc.Life.Ended, inc.Life.Hung, inc.Life.Error = history.Done, true, hung
	}
	if len(lives) > 1 {
		inc.Unreached = nil // how the processes meet decides which points the first one comes to
	}
	w.note(inc)
	next, err := w.state(dir, binaryState{provider: first.double.Snapshot(), now: first.clock.now().Add(w.p.Downtime), hung: hung, failed: cmp.Or(before, failed)})
	if err != nil {
		return inc, err
	}
	runtime.AddCleanup(next, func(dir string) { _ = os.RemoveAll(dir) }, dir)
	inc.Next = next
	return inc, nil
}

// firstFailed returns what the test said in the first process that failed it, empty if none did.
func firstFailed(lives []*binaryLife) string {
	for _, l := range lives {
		switch {
		case l.failed != "" && len(lives) > 1:
			return fmt.Sprintf("process %d: %s", l.number, l.failed)
		case l.failed != "":
			return l.failed
		}
	}
	return ""
}

// note keeps which points were passed, and where a kill landed.
func (w *binaryWorld) note(inc Incarnation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.points == nil {
		w.points = map[string]bool{}
	}
	for _, p := range inc.Points {
		w.points[p.Point.String()] = w.points[p.Point.String()]
	}
	if inc.Life.At != "" {
		w.points[inc.Life.At] = true
	}
}

// learn takes over the points that another world of the same program saw.
func (w *binaryWorld) learn(other *binaryWorld) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.points = maps.Clone(other.points)
}

func (w *binaryWorld) coverage() Coverage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return coverageOf(w.points)
}
