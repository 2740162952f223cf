package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/services"
)

// checkFolder is the full check of a work folder: both stores whole, and nothing half made left beside them.
func checkFolder(dir string) error {
	ctx := context.Background()
	store, err := checkpoint.Open(filepath.Join(dir, runsFile), checkpoint.Options{Clock: cli.Wall{}})
	if err != nil {
		return err
	}
	defer store.Close()
	err = store.Check(ctx)
	path := filepath.Join(dir, practiceFile)
	if _, missing := os.Stat(path); !errors.Is(missing, fs.ErrNotExist) {
		world, openErr := services.Open(ctx, path, services.Config{Now: time.Now})
		if openErr != nil {
			return errors.Join(err, openErr)
		}
		defer world.Close()
		err = errors.Join(err, world.Check(ctx))
	}
	left, globErr := filepath.Glob(filepath.Join(dir, "*.new-*"))
	if len(left) > 0 {
		err = errors.Join(err, errors.New("left behind: "+left[0]))
	}
	return errors.Join(err, globErr)
}
