package blackbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// bench is the place where the cases of one job run: a work folder of its own, and the template in
// memory.
type bench struct {
	cfg      Config
	work     string
	template folder
	places   places
}

// memoryFolder is a file system in memory that most Linux systems have.
const memoryFolder = "/dev/shm"

// newBench reads the template and makes the work folder. The caller removes it with close.
func newBench(cfg Config) (*bench, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	b := &bench{cfg: cfg.withDefaults(runtime.NumCPU())}
	base := b.cfg.WorkDir
	if base == "" {
		base = os.TempDir()
		if info, err := os.Stat(memoryFolder); err == nil && info.IsDir() {
			base = memoryFolder
		}
	}
	work, err := os.MkdirTemp(base, "paytwice-exec-")
	if err != nil && b.cfg.WorkDir == "" {
		work, err = os.MkdirTemp("", "paytwice-exec-")
	}
	if err != nil {
		return nil, fmt.Errorf("making the work folder: %w", err)
	}
	b.work = work
	if b.work, err = filepath.EvalSymlinks(work); err == nil {
		err = b.readTemplate()
	}
	if err != nil {
		_ = os.RemoveAll(work)
		return nil, err
	}
	return b, nil
}

func (b *bench) readTemplate() error {
	if b.cfg.Template == "" {
		b.template = emptyFolder()
		return nil
	}
	root, err := filepath.Abs(b.cfg.Template)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return fmt.Errorf("%w: template %s is no folder", ErrConfig, root)
	}
	if strings.HasPrefix(b.work+"/", strings.TrimSuffix(root, "/")+"/") {
		return fmt.Errorf("%w: %w: %s and %s", ErrConfig, ErrInsideWork, root, b.work)
	}
	b.template, err = readFolder(root, b.cfg.Limits.TemplateBytes, false)
	if errors.Is(err, ErrTooLarge) {
		return fmt.Errorf("%w: template: %w", ErrConfig, err)
	}
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	return nil
}

// noRoom is what programs say of a full disk: the system's words, and the name that Node gives it.
var noRoom = regexp.MustCompile(`No space left on device|\bENOSPC\b`)

// roomLeast is what a disk must have left for a failure to be the program's own, beside a folder for each worker.
const roomLeast = 64 << 10

// checkRoom returns an ErrFull if a program that left a folder may have failed because the disk was full: it says so,
// or there is no room for as much from each worker, any of which may have cleared its own since.
func (b *bench) checkRoom(said Output, left folder) error {
	if hasRoom(b.work, roomLeast+uint64(b.cfg.Workers)*left.bytes()) && !noRoom.MatchString(said.String()) {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrFull, b.work)
}

func (b *bench) close() error { return removeAll(b.work) }

// place returns the folder of one worker, in which its cases run one after the other.
func (b *bench) place(worker int) string {
	return filepath.Join(b.work, strconv.Itoa(worker), "dir")
}

// readCase reads a case's folder after a run.
func (b *bench) readCase(root string) (folder, error) {
	f, err := readFolder(root, b.cfg.Limits.caseBytes(), true)
	if errors.Is(err, syscall.ENAMETOOLONG) {
		err = ErrTooDeep // the system's own error would repeat the path
	}
	return f, err
}
