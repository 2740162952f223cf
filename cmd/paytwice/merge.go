package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
)

type mergeFlags struct {
	ratcheting
	writing
}

func (p *program) merge() *cobra.Command {
	o := &mergeFlags{}
	c := &cobra.Command{
		Use:   "merge REPORT.json... [flags]",
		Short: "Joins the reports of the shards of one run into the report of the whole",
		Long: "Joins the JSON reports of --shard I/N runs of matrix, explore or check. Every shard must be there,\n" +
			"once, and of the same run. What it writes, and its exit code, are those of the run in one piece.",
		Example: "  paytwice merge part-1.json part-2.json part-3.json\n  paytwice merge --format json -o check.json parts/*.json",
		Args:    atLeastOne("REPORT.json"),
		RunE:    func(_ *cobra.Command, files []string) error { return p.runMerge(o, files) },
	}
	o.ratcheting.add(c.Flags())
	o.writing.add(c.Flags(), matrixForms.names()...)
	return c
}

// atLeastOne wants one argument or more.
func atLeastOne(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cli.Exactly(name)(c, args)
		}
		return nil
	}
}

func (p *program) runMerge(o *mergeFlags, files []string) (failed error) {
	var docs []parts.Document
	for _, f := range files {
		d, err := parts.Read(f)
		if err != nil {
			return mergeError(err)
		}
		docs = append(docs, d)
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end("merge", failed) }()
	whole, err := parts.Merge(docs)
	if err != nil {
		return mergeError(err)
	}
	if version := docs[0].Part().Version; !cli.NamesCode(version) && !parts.SameBuild(docs) {
		p.note(fmt.Sprintf("the reports are of different builds of version %.80q, which does not say that they are of the same code", version))
	}
	if command := whole.Part().Run.Command; o.ratcheting.file != "" && command != "check" {
		return cli.WrongUse("--baseline goes with reports of check; these are of %s", command)
	}
	if whole.Matrix == nil && !slices.Contains(checkForms.names(), o.format.Value) {
		return cli.WrongUse("--format %s is for reports of matrix; those of %s have %s", o.format.Value, whole.Part().Run.Command, strings.Join(checkForms.names(), ", "))
	}
	known, err := o.ratcheting.open(p, o.writing.file)
	if err != nil {
		return err
	}
	defer known.discard()
	part := whole.Part()
	if m := whole.Matrix; m != nil {
		m.Part = nil
		for _, n := range m.Notes {
			p.note(n)
		}
		return p.finishMatrix(to, o.format.Value, *m, part.Unfilled)
	}
	d := *whole.Explorations
	d.Part = nil
	if err := known.hold(&d); err != nil {
		return err
	}
	if err := deliver(p, to, formsOf(part.Run.Command), o.format.Value, d); err != nil {
		return err
	}
	if err := known.save(d); err != nil {
		return err
	}
	return known.worstNew(d)
}

// formsOf returns how a command writes its searches.
func formsOf(command string) forms[history.Explorations] {
	if command == "check" {
		return checkForms
	}
	return exploreForms
}

// mergeError tells reports that don't belong together from those that are not all there.
func mergeError(err error) error {
	var missing *parts.MissingError
	if errors.As(err, &missing) {
		return &verdictError{exitHarness, err.Error()}
	}
	return &cli.UsageError{Err: err}
}
