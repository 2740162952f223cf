package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/services"
)

type resetOptions struct{ all bool }

func newReset(p *program) *cobra.Command {
	var o resetOptions
	c := &cobra.Command{
		Use:     "reset [--all]",
		Short:   "Puts a fresh practice database in place",
		Example: "  resolver reset\n  resolver reset --all",
		Args:    cli.NoArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return reset(c.Context(), p, o) },
	}
	c.Flags().BoolVar(&o.all, "all", false, "the saved runs, with their trail, go too")
	return c
}

func reset(ctx context.Context, p *program, o resetOptions) error {
	c, err := p.course()
	if err != nil {
		return err
	}
	data, err := c.Data()
	if err != nil {
		return err
	}
	if err := p.quiet(ctx); err != nil {
		// A damaged store has no run that could be under way, and is what --all is for.
		if !o.all || !errors.Is(err, checkpoint.ErrDamaged) && !errors.Is(err, resolver.ErrBadState) {
			return err
		}
	}
	if o.all {
		if err := removeRuns(filepath.Join(p.workDir(), runsFile)); err != nil {
			return err
		}
	}
	if err := services.Reset(ctx, filepath.Join(p.workDir(), practiceFile), data); err != nil {
		return err
	}
	p.out.Printf("The practice database is fresh.\n")
	if o.all {
		p.out.Printf("The saved runs are gone.\n")
	}
	return nil
}

// quiet reports a live process that works on a run of this folder: the practice database may not be
// replaced under it.
//
// Errors: *resolver.LeaseHeldError, or why the saved runs can't be read.
func (p *program) quiet(ctx context.Context) error {
	path := filepath.Join(p.workDir(), runsFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	store, err := checkpoint.Open(path, checkpoint.Options{Clock: p.clock})
	if err != nil {
		return err
	}
	defer store.Close()
	image, err := store.Image(ctx)
	if err != nil {
		return err
	}
	now := p.clock.Now()
	for _, l := range image.Leases {
		if now.Before(l.ExpiresAt) && checkpoint.Alive(l.Holder) {
			return &resolver.LeaseHeldError{RunID: l.RunID, Holder: l.Holder, Until: l.ExpiresAt}
		}
	}
	return nil
}

// removeRuns removes the store of runs. The journal goes last: SQLite ignores one that is left beside an
// empty file, but a store without its journal could be half of a transaction.
func removeRuns(path string) error {
	for _, name := range []string{path, path + "-journal"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the saved runs can't be removed: %w", err)
		}
	}
	return nil
}
