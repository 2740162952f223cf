package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

type replayFlags struct {
	selection
	running
	writing
	scenario string
	keep     string
	pause    bool
}

func (p *program) replay() *cobra.Command {
	o := &replayFlags{}
	c := &cobra.Command{
		Use:   "replay [flags] PLAN",
		Short: "Runs one plan again, with its history",
		Long:  "Runs one plan again and prints every event of every life. It exits 1 on a violation.",
		Example: "  paytwice replay --strategy naive-retry 'kill payment.request_refund/after#1'\n" +
			"  paytwice replay --mode kill --keep crash 'kill payment.request_refund/after#1; kill checkpoint.save/before#1'",
		Args: onePlan,
		RunE: func(c *cobra.Command, args []string) error { return p.runReplay(c, o, args[0]) },
	}
	o.selection.add(c.Flags())
	o.running.add(c.Flags(), matrix.Simulate)
	o.writing.add(c.Flags(), replayForms.names()...)
	c.Flags().StringVar(&o.scenario, "scenario", scenarios.Refund, "what to run")
	c.Flags().StringVar(&o.keep, "keep", "", "leave the databases in this folder as they were at each kill (real kills)")
	c.Flags().BoolVar(&o.pause, "pause", false, "wait at each kill, with the databases as they are, until Enter (real kills)")
	return c
}

// onePlan wants one argument. The words of a plan are several where it stands without quotes.
func onePlan(c *cobra.Command, args []string) error {
	if len(args) > 1 && !strings.Contains(args[0], " ") {
		return cli.WrongUse("a plan is one argument, so quote it: %s '%s'", c.CommandPath(), strings.Join(args, " "))
	}
	return cli.Exactly("PLAN")(c, args)
}

func (p *program) runReplay(c *cobra.Command, o *replayFlags, text string) (failed error) {
	plan, err := faults.Parse(text)
	if err != nil {
		return err
	}
	if err := o.validate(); err != nil {
		return err
	}
	sc, settings, err := o.selection.forScenario(o.scenario)
	if err != nil {
		return err
	}
	if len(settings) != 1 {
		return cli.WrongUse("replay runs one plan: name one ticket, strategy and provider")
	}
	if err := sc.CheckPlan(plan); err != nil {
		return &cli.UsageError{Err: err}
	}
	kill, err := p.killOptions(c, o)
	if err != nil {
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
	h, err := p.replayOne(c, sc, settings[0], plan, &o.running, kill)
	if err != nil && c.Context().Err() != nil {
		interrupted(&h, plan)
	} else if err != nil {
		return err
	}
	if err := deliver(p, to, replayForms, o.format.Value, h); err != nil {
		return err
	}
	return leftOpen(verdict(len(h.Violations), 0, ""), h.LeftOut)
}

// interrupted makes what there is of a history one that nobody has judged.
func interrupted(h *history.History, plan faults.Plan) {
	if h.Schema == "" { // It did not even begin.
		h.Schema, h.Plan, h.Lives, h.Ledger, h.Violations = history.Schema, plan.String(), []history.Life{}, []history.Effect{}, []string{}
	}
	h.Verdict = history.Undecided
	h.Tell()
	h.LeftOut = fmt.Sprintf("the replay was interrupted after %d whole lives: nothing was judged", len(h.Lives))
}

// killOptions reads what only real kills can do; asking for it without saying how to run means real kills.
func (p *program) killOptions(c *cobra.Command, o *replayFlags) (scenarios.KillOptions, error) {
	kill := scenarios.KillOptions{Timeout: o.timeout}
	if o.keep == "" && !o.pause {
		return kill, nil
	}
	if c.Flags().Changed("mode") && o.mode.Value == matrix.Simulate {
		return kill, cli.WrongUse("--keep and --pause need real kills: leave out --mode simulate")
	}
	o.mode.Value = matrix.Kill
	if o.keep != "" {
		if err := keepFolder(o.keep); err != nil {
			return kill, err
		}
	}
	in := bufio.NewReader(c.InOrStdin())
	kill.Keep = func(life int, dir string) error {
		at := dir
		if o.keep != "" {
			at = filepath.Join(o.keep, fmt.Sprintf("life-%d", life))
			if err := os.MkdirAll(at, 0o755); err != nil {
				return err
			}
			if err := child.CopyFolder(at, dir); err != nil {
				return err
			}
		}
		p.note(fmt.Sprintf("life %d was killed; its databases are in %s", life, at))
		if o.pause {
			p.note("press Enter to start the next life")
			return enter(c.Context(), in)
		}
		return nil
	}
	return kill, nil
}

// keepFolder makes sure, before any work is done, that a folder is there, empty, and can be written to.
func keepFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cli.WrongUse("--keep: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return cli.WrongUse("--keep: %w", err)
	}
	if len(entries) > 0 {
		return cli.WrongUse("--keep %s: the folder is not empty", dir)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return cli.WrongUse("--keep %s can't be written: %w", dir, errors.Unwrap(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// enter waits for a line, or the end of the input. A stop of the program ends the wait, too: nothing else
// would, since a signal does not end a read.
func enter(ctx context.Context, in *bufio.Reader) error {
	read := make(chan struct{})
	go func() {
		_, _ = in.ReadString('\n')
		close(read)
	}()
	select {
	case <-read:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// replayOne runs one plan of one setting.
func (p *program) replayOne(c *cobra.Command, sc scenarios.Scenario, s scenarios.Setting, plan faults.Plan, r *running, kill scenarios.KillOptions) (history.History, error) {
	settings, err := sc.Settings(s)
	if err != nil {
		return history.History{}, err
	}
	w, closer, err := matrix.World(c.Context(), sc, s, r.mode.Value, kill)
	if err != nil {
		return history.History{}, err
	}
	defer closer.Close()
	once := r.mode.Value == matrix.Kill
	result, err := explorer.Replay(c.Context(), w, plan, explorer.Options{Settings: settings, Once: once, Timeout: matrix.Watched(r.mode.Value, r.timeout)})
	h := result.History
	h.Scenario, h.Strategy, h.Provider = s.Scenario, s.Strategy, s.Provider
	return h, unreached(stuck(err, sc), sc)
}

// unreached adds to the error of a point that no life came to where the points are listed.
func unreached(err error, sc scenarios.Scenario) error {
	var e *explorer.UnreachedError
	if errors.As(err, &e) && e.Lives == 0 {
		return fmt.Errorf("%w; paytwice points %s lists the points", err, sc.Name)
	}
	return err
}

// forScenario returns a scenario and the combinations to run of it.
//
// Errors: *scenarios.UnknownError; wrong use for a flag that means nothing to the scenario.
func (s *selection) forScenario(name string) (scenarios.Scenario, []scenarios.Setting, error) {
	sc, err := catalog.ByName(name)
	if err != nil {
		return sc, nil, err
	}
	if !sc.Ticket && (len(s.tickets) > 0 || s.variant != "" || s.model != "" || s.repeat != 0 || s.ticketFaults) {
		return sc, nil, cli.WrongUse("%s has no ticket: --ticket and the recording's flags go with %s", name, scenarios.Refund)
	}
	if !sc.Strategy && len(s.strategies) > 0 {
		return sc, nil, cli.WrongUse("%s has its own way to recover: --strategy goes with %s", name, scenarios.Refund)
	}
	if sc.Ticket {
		settings, err := s.settings(name)
		return sc, settings, err
	}
	if len(s.providers) > 0 {
		return sc, nil, cli.WrongUse("%s has its own service: --provider goes with %s", name, scenarios.Refund)
	}
	one := sc.Setting
	one.Scenario = name
	return sc, []scenarios.Setting{one}, nil
}
