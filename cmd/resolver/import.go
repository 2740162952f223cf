package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/cmd/resolver/internal/course"
	"github.com/paytwice/paytwice/resolver/services"
)

func newImport(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "import FOLDER",
		Short: "Reads your own copy of the course project into the work folder",
		Long: `Reads your own copy of the course project: the folders data (tasks.jsonl, policy.md, and the
tables as CSV files or in larkfield.sqlite) and recordings (*.jsonl or *.jsonl.gz). All of it is
checked first; if anything is wrong, nothing is changed. From then on every command of this work
folder uses it, with a fresh practice database.`,
		Example: "  resolver import ~/resolution-workflow\n  resolver import . --dir /tmp/mine",
		Args:    cli.Exactly("FOLDER"),
		RunE:    func(c *cobra.Command, args []string) error { return importCourse(c.Context(), p, args[0]) },
	}
}

func importCourse(ctx context.Context, p *program, folder string) error {
	read, err := course.Read(ctx, folder)
	if err != nil {
		return fmt.Errorf("nothing was imported: %w", err)
	}
	dir := p.workDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("work folder %s can't be made: %w", dir, err)
	}
	if err := p.quiet(ctx); err != nil {
		return fmt.Errorf("nothing was imported: %w", err)
	}
	data, err := read.Data()
	if err != nil {
		return err
	}
	if err := read.Keep(dir); err != nil {
		return fmt.Errorf("nothing was imported: %w", err)
	}
	if err := services.Reset(ctx, filepath.Join(dir, practiceFile), data); err != nil {
		return fmt.Errorf("the course is imported, its practice database is not made; run resolver reset: %w", err)
	}
	return p.tellImport(ctx, read)
}

func (p *program) tellImport(ctx context.Context, read *course.Import) error {
	tasks, err := read.Tasks()
	if err != nil {
		return err
	}
	calls, err := read.Recordings()
	if err != nil {
		return err
	}
	data, err := read.Data()
	if err != nil {
		return err
	}
	p.out.Printf("Imported %d ticket(s), %d order(s) and %d recorded call(s). The practice database is fresh.\n",
		len(tasks), len(data.Orders), calls.Len())
	w, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	list, err := w.store.List(ctx)
	if err != nil {
		return err
	}
	if open := unfinished(list); open > 0 {
		p.note("%d unfinished run(s) were made with the data before; resolver reset --all removes them", open)
	}
	return nil
}
