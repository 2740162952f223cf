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
	"github.com/paytwice/paytwice/explorer/baseline"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

// ratcheting says which violations are known.
type ratcheting struct {
	file   string
	update bool
}

func (r *ratcheting) add(f *pflag.FlagSet) {
	f.StringVar(&r.file, "baseline", "", "a file of known classes of violations: only new ones fail")
	f.BoolVar(&r.update, "update-baseline", false, "write what was found to the baseline, and take out what is gone")
}

// ratchet is a baseline that a run is held against.
type ratchet struct {
	known baseline.Baseline
	to    *destination
}

// open reads the baseline and makes sure that it can be written, before any work is done; nil without one. The
// result goes to another file.
func (r *ratcheting) open(p *program, result string) (*ratchet, error) {
	if r.file == "" {
		if r.update {
			return nil, cli.WrongUse("--update-baseline needs --baseline FILE: which one?")
		}
		return nil, nil
	}
	if sameFile(r.file, result) {
		return nil, cli.WrongUse("--baseline and --output are both %s: one would replace the other", r.file)
	}
	out := &ratchet{}
	data, err := readBaseline(r.file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.update:
	case errors.Is(err, fs.ErrNotExist):
		return nil, cli.WrongUse("--baseline %s: %w; --update-baseline makes one", r.file, withoutPath(err))
	case err != nil:
		return nil, cli.WrongUse("--baseline %s: %w", r.file, withoutPath(err))
	default:
		if out.known, err = baseline.Parse(data); err != nil {
			return nil, cli.WrongUse("--baseline %s: %w", r.file, err)
		}
	}
	if r.update {
		out.to, err = p.open(&writing{file: r.file})
	}
	return out, err
}

// readBaseline reads a plain file: opening a pipe would wait for whoever writes to it.
func readBaseline(file string) ([]byte, error) {
	if info, err := os.Stat(file); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is no plain file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, baseline.MaxBytes+1))
}

// sameFile reports whether two paths lead to one file, there or not.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y)
	}
	a, errX = placeOf(a)
	b, errY = placeOf(b)
	return errX == nil && errY == nil && a == b
}

// placeOf returns where a file would be made, whatever links lead to its folder.
func placeOf(file string) (string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	folder, err = filepath.Abs(folder)
	return filepath.Join(folder, filepath.Base(file)), err
}

// discard leaves nothing behind of a baseline that was not written.
func (r *ratchet) discard() {
	if r != nil && r.to != nil {
		r.to.discard()
	}
}

// hold compares a run with the baseline.
func (r *ratchet) hold(d *history.Explorations) error {
	if r == nil {
		return nil
	}
	found, err := r.known.Compare(d.Runs)
	d.Ratchet = &found
	return err
}

// save writes the baseline after a run, where that is asked for.
func (r *ratchet) save(d history.Explorations) error {
	if r == nil || r.to == nil {
		return nil
	}
	next, err := r.known.Update(d.Runs)
	if err != nil {
		return err
	}
	data, err := next.Encode()
	if err != nil {
		return err
	}
	return r.to.write(func(w io.Writer, _ reports.Style) error { _, err := w.Write(data); return err })
}

// worstNew is worst where violations that a baseline knows, or now knows, don't count.
func (r *ratchet) worstNew(d history.Explorations) error {
	if r == nil {
		return worst(d.Runs)
	}
	runs := make([]history.Exploration, len(d.Runs))
	for i, e := range d.Runs {
		e.Violations = nil
		runs[i] = e
	}
	err := worst(runs)
	var v *verdictError
	if r.to != nil || len(d.Ratchet.New) == 0 || errors.As(err, &v) && v.code == exitHarness {
		return err
	}
	return &verdictError{exitViolation, fmt.Sprintf("%d new class(es) of violations", len(d.Ratchet.New))}
}
