package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/pflag"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/reports"
)

// writing says in which form a result is written, and where.
type writing struct {
	format cli.Choice
	file   string
}

func (w *writing) add(f *pflag.FlagSet, formats ...string) {
	w.format = cli.Choice{Value: "text", Allowed: formats}
	f.Var(&w.format, "format", "form of the result")
	f.StringVarP(&w.file, "output", "o", "", "write the result to a file instead of standard output")
}

// destination is where a result goes once it is whole.
type destination struct {
	target string
	temp   *os.File
	out    io.Writer
	format string
	// begun: something was written, or tried to be.
	begun bool
	style reports.Style
}

// halfWritten are the files that a process which ends at once must not leave behind.
var halfWritten sync.Map

// open makes sure that the result can be written before any work is done for it. A file is written beside
// its target and moved there when it is whole, so nothing half-written is left behind.
func (p *program) open(w *writing) (*destination, error) {
	if w.file == "" {
		return &destination{out: p.out, style: p.style, format: w.format.Value}, nil
	}
	if w.file == os.DevNull {
		return &destination{out: io.Discard, format: w.format.Value}, nil
	}
	target, err := writable(w.file)
	if err != nil {
		return nil, cli.WrongUse("%s can't be written: %w", w.file, err)
	}
	temp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return nil, cli.WrongUse("%s can't be written: %w", w.file, withoutPath(err))
	}
	halfWritten.Store(temp.Name(), true)
	return &destination{target: target, temp: temp, out: temp, format: w.format.Value}, nil
}

// writable returns the file that a path stands for: a link's target, so that the link itself stays. What
// exists must be a plain file that may be written.
func writable(path string) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", withoutPath(err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return "", withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no plain file")
	}
	if info.Mode().Perm()&0o200 == 0 {
		return "", errors.New("it is read-only")
	}
	file, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return "", withoutPath(err)
	}
	return target, file.Close()
}

// withoutPath leaves out of an error the path, which the message around it has, or which nobody asked for.
func withoutPath(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// write has the result written, whole or not at all.
func (d *destination) write(do func(io.Writer, reports.Style) error) error {
	d.begun = true
	err := do(d.out, d.style)
	if d.temp == nil {
		return err
	}
	if err == nil {
		err = d.temp.Chmod(0o644)
	}
	if err == nil {
		err = d.temp.Sync()
	}
	if closed := d.temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(d.temp.Name(), d.target)
	}
	halfWritten.Delete(d.temp.Name())
	if err != nil {
		os.Remove(d.temp.Name())
		return fmt.Errorf("%s: %w", d.target, err)
	}
	d.temp = nil
	return nil
}

// end discards what there is of a result when a command ends without one. A JUnit report says why instead, where
// that is the harness's fault: a CI that finds no report may take it for one without failures.
func (d *destination) end(command string, err error) {
	defer d.discard()
	if err == nil || d.begun || d.format != "junit" || cli.IsWrongUse(err) || exitCode(err) != exitHarness {
		return
	}
	// The command ends with err whatever becomes of this.
	_ = d.write(func(w io.Writer, _ reports.Style) error { return reports.FaultJUnit(w, command, err) })
}

// discard leaves nothing behind of a result that there is not. It does nothing after write.
func (d *destination) discard() {
	if d.temp != nil {
		d.temp.Close()
		os.Remove(d.temp.Name())
		halfWritten.Delete(d.temp.Name())
	}
}
