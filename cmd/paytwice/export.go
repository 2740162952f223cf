package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/reports"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
	"github.com/paytwice/paytwice/scenarios/tour"
)

// pageFlags says what a page shows: the lesson and the map of a selection, or a saved report.
type pageFlags struct {
	matrixFlags
	from   string
	lesson string
}

func (o *pageFlags) add(c *cobra.Command) {
	o.selection.add(c.Flags(), all)
	o.running.add(c.Flags(), matrix.Simulate)
	c.Flags().Lookup("provider").Usage = "provider profiles, or all (default all)"
	c.Flags().Lookup("mode").Usage = "how the map is run; the lesson's cases are killed for real unless this says simulate"
	c.Flags().StringSliceVar(&o.points, "point", tour.LessonPoints(), "points of the map: lesson names, names that points prints, or all")
	c.Flags().StringVar(&o.from, "from", "", "show this saved report (the JSON of any command) instead")
}

func (p *program) export() *cobra.Command {
	o := &pageFlags{}
	c := &cobra.Command{
		Use:   "export FILE.html [flags]",
		Short: "The explorer page as one file",
		Long: "Runs the lesson's cases and the map of strategies, and writes them as one HTML file that asks for\n" +
			"nothing from outside; or writes a saved report of any command as such a page.",
		Example: "  paytwice export explorer.html\n  paytwice export all.html --ticket all\n" +
			"  paytwice check --format json -o report.json; paytwice export report.html --from report.json",
		Args: cli.Exactly("FILE.html"),
		RunE: func(c *cobra.Command, args []string) error { return p.runExport(c, o, args[0]) },
	}
	o.add(c)
	return c
}

func (p *program) runExport(c *cobra.Command, o *pageFlags, file string) error {
	if file == "" {
		return cli.WrongUse("export needs the name of a file, such as explorer.html")
	}
	if file == "-" {
		return cli.WrongUse("export writes a file, not standard output: name one, such as explorer.html")
	}
	o.file = file
	if err := o.checkPage(c); err != nil {
		return err
	}
	if err := o.checkTarget(); err != nil {
		return err
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer to.discard()
	document, unfilled, err := p.pageDocument(c, o)
	if err != nil {
		return err
	}
	if err := to.write(func(w io.Writer, _ reports.Style) error { return page.Write(w, document) }); err != nil {
		return err
	}
	return unfilled
}

// checkPage refuses flags that mean nothing, before any work is done.
func (o *pageFlags) checkPage(c *cobra.Command) error {
	o.lesson = o.mode.Value
	if !c.Flags().Changed("mode") && child.Supported {
		o.lesson = matrix.Kill
	}
	if !c.Flags().Changed("provider") {
		o.providers = []string{all}
	}
	if err := o.validate(); err != nil {
		return err
	}
	if !c.Flags().Changed("from") {
		_, err := expand("point", o.points, nil, matrix.CheckPoint)
		if err != nil {
			return &cli.UsageError{Err: err}
		}
		return nil
	}
	for _, name := range []string{"ticket", "strategy", "provider", "point", "mode", "variant", "model", "repeat", "ticket-faults"} {
		if c.Flags().Changed(name) {
			return cli.WrongUse("--%s means nothing beside --from: the report says what was run", name)
		}
	}
	return nil
}

// pageDocument returns what the page is to show. The second error is what the command ends with once the
// page is written: a point that no strategy passes.
func (p *program) pageDocument(c *cobra.Command, o *pageFlags) (document any, unfilled, err error) {
	if o.from != "" || c.Flags().Changed("from") {
		document, err = readReport(o.from)
		return named(document), nil, err
	}
	settings, err := o.settings(scenarios.Refund)
	if err != nil {
		return nil, nil, err
	}
	return p.tour(c.Context(), o, settings)
}

func (p *program) tour(ctx context.Context, o *pageFlags, settings []scenarios.Setting) (document any, unfilled, err error) {
	progress := p.progress("export", o.quiet)
	defer progress.end()
	r := matrix.Request{Settings: settings, Points: o.points, Mode: o.mode.Value, Seed: o.seed, Workers: o.workers, Timeout: o.timeout, Progress: progress.at}
	recorded, result, err := tour.Map(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range result.Matrix.Notes {
		p.note(n)
	}
	if len(result.Matrix.Cells) == 0 {
		return nil, nil, &verdictError{exitHarness, "the map has no cell: none of the strategies passes " + strings.Join(o.points, ", ")}
	}
	if len(result.Unfilled) > 0 {
		unfilled = &verdictError{exitHarness, "no strategy passes " + strings.Join(result.Unfilled, ", ")}
	}
	r.Mode = o.lesson
	lesson, err := tour.Lesson(ctx, r)
	return page.Explorer{Lesson: lesson, Map: recorded}, unfilled, err
}

// readReport reads a saved report; "-" is not special, a file has a name.
func readReport(name string) (any, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, cli.WrongUse("--from %s: %w", name, withoutPath(err))
	}
	defer file.Close()
	document, err := page.Read(file)
	if errors.Is(err, page.ErrReport) {
		return nil, cli.WrongUse("--from %s: %w", name, err)
	}
	if err != nil {
		return nil, cli.WrongUse("--from %s: %w", name, withoutPath(err))
	}
	return document, nil
}
