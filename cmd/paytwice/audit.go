package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
	"github.com/paytwice/paytwice/scenarios/planted"
)

type auditFlags struct {
	running
	writing
}

func (p *program) audit() *cobra.Command {
	o := &auditFlags{}
	c := &cobra.Command{
		Use:   "audit [flags]",
		Short: "Runs every planted bug: what makes a green run mean something",
		Long: "Searches a catalogue of broken executors, stores and loops for the smallest plan that exposes\n" +
			"each. It exits 1 if one goes unseen or is caught by the wrong invariant.",
		Example: "  paytwice audit\n  paytwice audit --format json -o audit.json",
		Args:    cli.NoArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return p.runAudit(c, o) },
	}
	o.running.add(c.Flags(), matrix.Kill)
	c.Flags().Lookup("mode").Usage = "simulate leaves out the real kills of those that are to be caught by them, too"
	o.writing.add(c.Flags(), auditForms.names()...)
	return c
}

func (p *program) runAudit(c *cobra.Command, o *auditFlags) (failed error) {
	if err := o.validate(); err != nil {
		return err
	}
	if err := canRun(o.mode.Value); err != nil {
		return err
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	progress := p.progress("audit", o.quiet)
	a, err := planted.Audit(c.Context(), o.options(progress))
	progress.end()
	if err != nil {
		return stuck(err, scenarios.Scenario{})
	}
	if err := deliver(p, to, auditForms, o.format.Value, a); err != nil {
		return err
	}
	err = nil
	if unseen := len(a.Planted) - a.Caught; unseen > 0 {
		err = &verdictError{exitViolation, fmt.Sprintf("%d of %d planted bugs went unseen, or were caught by the wrong invariant", unseen, a.Total)}
	}
	return leftOpen(err, a.LeftOut)
}

// options: a life in memory is watched in both modes, since each bug is searched in memory first.
func (o *auditFlags) options(p *progress) planted.AuditOptions {
	return planted.AuditOptions{SimulateOnly: o.mode.Value == matrix.Simulate, Kill: scenarios.KillOptions{Timeout: o.timeout},
		Workers: o.workers, Timeout: o.timeout, Progress: p.at}
}
