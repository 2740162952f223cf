package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/cmd/resolver/internal/course"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/services"
)

// The files of a work folder.
const (
	runsFile     = "runs.sqlite"
	practiceFile = "larkfield.sqlite"
)

// workDir returns the work folder: the one that was named, else work below the current folder.
func (p *program) workDir() string {
	if dir := p.namedDir(); dir != "" {
		return filepath.Clean(dir)
	}
	return "work"
}

// namedDir is --dir, else RESOLVER_DIR.
func (p *program) namedDir() string { return cmp.Or(p.dir, p.getenv("RESOLVER_DIR")) }

// course returns what the work folder serves, without setting anything up.
func (p *program) course() (*course.Course, error) {
	var err error
	if p.served == nil {
		p.served, err = course.Open(p.workDir())
	}
	return p.served, err
}

// workspace is an open work folder. The practice database is opened when it is needed.
type workspace struct {
	*program
	course *course.Course
	store  checkpoint.Store
	world  *services.File
	// broken ends what is going on when the practice database can't be read or written; see whole.
	broken context.CancelCauseFunc
}

// open opens the work folder and its saved runs; a fresh folder is set up silently.
//
// Errors: name the file or folder, and say what to do.
func (p *program) open(ctx context.Context) (*workspace, error) {
	c, err := p.course()
	if err != nil {
		return nil, err
	}
	dir := p.workDir()
	if err := p.makeDir(dir); err != nil {
		return nil, err
	}
	if err := runsLost(ctx, dir); err != nil {
		return nil, err
	}
	store, err := checkpoint.Open(filepath.Join(dir, runsFile), checkpoint.Options{Clock: p.clock})
	if err != nil {
		return nil, err
	}
	return &workspace{program: p, course: c, store: store}, nil
}

// openSaved is open for what only reads the saved runs: where there are none, it makes neither a folder nor a file.
func (p *program) openSaved(ctx context.Context) (*workspace, error) {
	dir := p.workDir()
	if !noRuns(dir) {
		return p.open(ctx)
	}
	c, err := p.course()
	if err != nil {
		return nil, err
	}
	if err := runsLost(ctx, dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil && p.namedDir() != "" {
		p.note("there is no work folder %s", dir)
	}
	return &workspace{program: p, course: c, store: checkpoint.NewMemory(checkpoint.Options{Clock: p.clock})}, nil
}

// noRuns reports whether a work folder is not there, or has no file of runs. What can't be looked into, such as a link
// to nowhere, is open's to complain of.
func noRuns(dir string) bool {
	if _, err := os.Lstat(dir); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if _, err := os.Stat(dir); err != nil {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, runsFile))
	return errors.Is(err, fs.ErrNotExist)
}

// makeDir makes the work folder where there is none. One that was named is told of: a slip in its name would
// else look like a folder in which nothing was ever done.
func (p *program) makeDir(dir string) error {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("work folder %s can't be made: %w; choose another with --dir or RESOLVER_DIR", dir, err)
	}
	if missing != nil && p.namedDir() != "" {
		p.note("there was no work folder %s: a fresh one was made", dir)
	}
	return nil
}

// runsLost reports a work folder whose saved runs are gone although the practice database holds changes: a
// new, empty store in their place would look as if nothing had ever been done.
func runsLost(ctx context.Context, dir string) error {
	runs, practice := filepath.Join(dir, runsFile), filepath.Join(dir, practiceFile)
	if info, err := os.Stat(runs); err == nil && info.Size() > 0 {
		return nil
	}
	if _, err := os.Stat(practice); err != nil {
		return nil
	}
	image, err := services.ReadImage(ctx, practice)
	if err != nil || len(image.Ledger) == 0 {
		return nil // Whoever needs the practice database says what is wrong with it.
	}
	return fmt.Errorf("the saved runs in %s are gone, and %s holds %d change(s): put the file back, or start afresh with resolver reset --all", runs, practice, len(image.Ledger))
}

// openWithWorld opens the work folder and the practice services.
func (p *program) openWithWorld(ctx context.Context) (*workspace, error) {
	w, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.openWorld(ctx); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *workspace) openWorld(ctx context.Context) error {
	path := filepath.Join(w.workDir(), practiceFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := w.setUp(ctx, path); err != nil {
			return err
		}
	}
	passages, err := w.course.Policy()
	if err != nil {
		return err
	}
	w.world, err = services.Open(ctx, path, services.Config{Policy: passages, Now: w.clock.Now, Failed: func(err error) {
		if w.broken != nil {
			w.broken(err)
		}
	}})
	return err
}

// whole does something that uses the practice services, and ends it when their file can't be read or
// written. Left to itself, the workflow would take that for a service that doesn't answer, try again and
// call a person: right for a real one, and no help to somebody whose disk is full. What was saved stays,
// and the run can be resumed.
func (w *workspace) whole(ctx context.Context, do func(context.Context) (*resolver.TaskState, error)) (*resolver.TaskState, error) {
	ctx, w.broken = context.WithCancelCause(ctx)
	defer w.broken(nil)
	s, err := do(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return s, cause
	}
	return s, err
}

// setUp makes the practice database of a folder that has none. Another process may do so at this moment.
func (w *workspace) setUp(ctx context.Context, path string) error {
	data, err := w.course.Data()
	if err != nil {
		return err
	}
	err = services.Create(ctx, path, data)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	runs, err := w.store.List(ctx)
	if err == nil && len(runs) > 0 {
		w.note("%s was missing: a fresh practice database was made, without the changes of the %d saved run(s)", path, len(runs))
	}
	return nil
}

func (w *workspace) close() {
	if w.world != nil {
		w.world.Close()
	}
	w.store.Close()
}

// note tells something that is no result.
func (p *program) note(format string, args ...any) {
	fmt.Fprintf(p.errOut, "note: "+format+"\n", args...)
}

// knownRun returns the summary of a saved run.
//
// Errors: one that wraps resolver.ErrUnknownRun and names the nearest run.
func (w *workspace) knownRun(ctx context.Context, runID string) (resolver.RunSummary, error) {
	runs, err := w.store.List(ctx)
	if err != nil {
		return resolver.RunSummary{}, err
	}
	var ids []string
	for _, r := range runs {
		if r.RunID == runID {
			return r, nil
		}
		ids = append(ids, r.RunID)
	}
	return resolver.RunSummary{}, unknown(resolver.ErrUnknownRun, runID, ids, "resolver runs lists the saved runs")
}

// unknown returns an error about a name that isn't there.
func unknown(kind error, name string, names []string, where string) error {
	if near := cli.Nearest(name, names); near != "" {
		return fmt.Errorf("%w %q; did you mean %q? (%s)", kind, name, near, where)
	}
	return fmt.Errorf("%w %q; %s", kind, name, where)
}

// localTime is a time as people here read it, with its offset.
func localTime(t time.Time) string { return t.Local().Format(time.RFC3339) }
