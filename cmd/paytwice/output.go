package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
	style  reports.Style
}

// open makes sure that the result can be written before any work is done for it. A file is written beside
// its target and moved there when it is whole, so nothing half-written is left behind.
func (p *program) open(w *writing) (*destination, error) {
	if w.file == "" {
		return &destination{out: p.out, style: p.style}, nil
	}
	temp, err := os.CreateTemp(filepath.Dir(w.file), "."+filepath.Base(w.file)+".*")
	if err != nil {
		// The error names the file beside the target, which nobody asked for.
		if path := new(fs.PathError); errors.As(err, &path) {
			err = path.Err
		}
		return nil, cli.WrongUse("%s can't be written: %w", w.file, err)
	}
	if info, err := os.Stat(w.file); err == nil && !info.Mode().IsRegular() {
		temp.Close()
		os.Remove(temp.Name())
		return nil, cli.WrongUse("%s can't be written: it is no plain file", w.file)
	}
	return &destination{target: w.file, temp: temp, out: temp}, nil
}

// write has the result written, whole or not at all.
func (d *destination) write(do func(io.Writer, reports.Style) error) error {
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
	if err != nil {
		os.Remove(d.temp.Name())
		return fmt.Errorf("%s: %w", d.target, err)
	}
	d.temp = nil
	return nil
}

// discard leaves nothing behind of a result that there is not. It does nothing after write.
func (d *destination) discard() {
	if d.temp != nil {
		d.temp.Close()
		os.Remove(d.temp.Name())
	}
}
