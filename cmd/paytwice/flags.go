package main

import (
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// all asks for every one there is.
const all = "all"

// selection picks the combinations to run.
type selection struct {
	tickets, strategies, providers []string
	variant, model                 string
	repeat                         int
	ticketFaults                   bool
}

// add declares the selection's flags; strategies are the default of --strategy.
func (s *selection) add(f *pflag.FlagSet, strategies ...string) {
	f.StringSliceVar(&s.tickets, "ticket", nil, "tickets, or all (default "+scenarios.DefaultTicket+")")
	f.StringSliceVar(&s.strategies, "strategy", strategies, "strategies, or all")
	f.StringSliceVar(&s.providers, "provider", nil, "provider profiles, or all (default "+scenarios.DefaultProvider+")")
	f.StringVar(&s.variant, "variant", "", "the recording's variant (default "+scenarios.DefaultVariant+")")
	f.StringVar(&s.model, "model", "", "the recording's model (default "+scenarios.DefaultModel+")")
	f.IntVar(&s.repeat, "repeat", 0, "the recording's repeat (default 1)")
	f.BoolVar(&s.ticketFaults, "ticket-faults", false, "the faults that a ticket carries strike, too")
}

// settings returns the combinations in the order ticket, strategy, provider.
//
// Errors: *scenarios.UnknownError; wrong use for a recording that there is not.
func (s *selection) settings(scenario string) ([]scenarios.Setting, error) {
	tickets, err := expand("ticket", s.tickets, ticketsWithActions, func(n string) error { _, err := scenarios.CheckTicket(n); return err })
	if err != nil {
		return nil, err
	}
	strategies, err := expand("strategy", s.strategies, strategy.Names, func(n string) error { _, err := scenarios.CheckStrategy(n); return err })
	if err != nil {
		return nil, err
	}
	providers, err := expand("profile", s.providers, scenarios.ProviderNames, func(n string) error { _, err := scenarios.CheckProvider(n); return err })
	if err != nil {
		return nil, err
	}
	var out []scenarios.Setting
	for _, t := range tickets {
		for _, st := range strategies {
			for _, p := range providers {
				one := scenarios.Setting{Scenario: scenario, Ticket: t, Strategy: st, Provider: p, Variant: s.variant, Model: s.model, Repeat: s.repeat, TicketFaults: s.ticketFaults}.WithDefaults()
				if err := recorded(one); err != nil {
					return nil, err
				}
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// recorded reports a recording that there is not.
func recorded(s scenarios.Setting) error {
	if s.Scenario != scenarios.Refund {
		return nil
	}
	repeats := larkfield.RecordingsOf(s.Ticket).Repeats(s.Ticket, s.Variant, s.Model)
	if slices.Contains(repeats, s.Repeat) {
		return nil
	}
	return cli.WrongUse("no recording of %s with variant %q, model %q, repeat %d; there are agent with chat-small and agent_structured with chat-strong, repeats 1 to 3", s.Ticket, s.Variant, s.Model, s.Repeat)
}

func ticketsWithActions() []string {
	var ids []string
	for _, t := range larkfield.Tasks() {
		if len(t.Expected.Actions) > 0 {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// expand turns "all" into every name, and checks the others; without a list, "all" is a name like others.
// Nothing asked for stays one empty name: the default.
func expand(kind string, names []string, every func() []string, check func(string) error) ([]string, error) {
	if len(names) == 0 {
		return []string{""}, nil
	}
	var out []string
	for _, n := range names {
		if n == all && every != nil {
			out = append(out, every()...)
			continue
		}
		if n == "" {
			return nil, cli.WrongUse("an empty name is no %s", kind)
		}
		if err := check(n); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	for i, n := range out {
		if slices.Contains(out[:i], n) {
			return nil, cli.WrongUse("%s %s is named twice", kind, n)
		}
	}
	return out, nil
}

// running says how to run.
type running struct {
	mode    cli.Choice
	seed    int64
	workers int
	timeout time.Duration
	quiet   bool
}

func (r *running) add(f *pflag.FlagSet, mode string) {
	r.mode = cli.Choice{Value: mode, Allowed: []string{matrix.Kill, matrix.Simulate}}
	f.Var(&r.mode, "mode", "real kills of child processes, or in memory")
	f.Int64Var(&r.seed, "seed", 1, "seed of whatever is drawn")
	addWorkers(f, &r.workers, "how many incarnations run at once; changes no result")
	f.DurationVar(&r.timeout, "timeout", 30*time.Second, "bound on one incarnation: a process is ended and judged; in memory, it ends the command")
	f.BoolVar(&r.quiet, "quiet", false, "no progress")
}

// addWorkers declares --workers. Help and man pages are the same on every machine.
func addWorkers(f *pflag.FlagSet, workers *int, usage string) {
	f.IntVar(workers, "workers", runtime.NumCPU(), usage)
	f.Lookup("workers").DefValue = "one a CPU"
}

func (r *running) validate() error {
	if r.workers < 1 || r.workers > 256 {
		return cli.WrongUse("--workers %d is not 1 to 256", r.workers)
	}
	if r.timeout <= 0 {
		return cli.WrongUse("--timeout %s is not above 0", r.timeout)
	}
	return nil
}

// system is what this program runs on. Tests name another.
var system = runtime.GOOS

// canRun reports a mode that has not been run on this system.
func canRun(mode string) error {
	if mode == matrix.Kill {
		return scenarios.CanKill(system)
	}
	return nil
}

// searching bounds a search.
type searching struct {
	crashes   int
	faults    []string
	maxRuns   int
	maxStates int
	budget    time.Duration
}

func (s *searching) add(f *pflag.FlagSet) {
	f.IntVar(&s.crashes, "crashes", 2, "how many faults a plan may have, 0 to 5")
	f.StringSliceVar(&s.faults, "faults", nil, "faults beside the kill, such as lose-response or 'pause 2m', or all (those of requests, answers and time)")
	f.IntVar(&s.maxRuns, "max-runs", 0, "bound on incarnations, never passed; reached, the verdict is undecided")
	f.IntVar(&s.maxStates, "max-states", 0, "bound on states; reached, the verdict is undecided")
	f.DurationVar(&s.budget, "budget", 0, "bound on time; used up, the verdict is undecided")
}

func (s *searching) validate() error {
	if s.crashes < 0 || s.crashes > 5 {
		return cli.WrongUse("--crashes %d is not 0 to 5", s.crashes)
	}
	if s.maxRuns < 0 || s.maxStates < 0 || s.budget < 0 {
		return cli.WrongUse("a bound can't be below 0")
	}
	return nil
}

// everyFault are the faults that --faults all stands for, with arguments that reach past the profiles'
// figures.
var everyFault = []string{"lose-request", "lose-response", "deliver-late 3s", "deliver-late 30s", "unavailable", "refuse", "lag 5s", "advance 25h"}

// faultEvents parses the faults beside the kill, each a verb with its argument and without a point.
func faultEvents(list []string) ([]faults.Event, error) {
	var out []faults.Event
	for _, text := range list {
		if text == all {
			more, err := faultEvents(everyFault)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		e, err := faults.ParseFault(strings.TrimSpace(text))
		if err != nil {
			return nil, cli.WrongUse("--faults: %w", err)
		}
		out = append(out, e)
	}
	return out, nil
}

// faultTexts returns the faults as they were parsed.
func faultTexts(events []faults.Event) []string {
	var out []string
	for _, e := range events {
		out = append(out, e.Fault())
	}
	return out
}

func scenarioArgument(args []string) string {
	if len(args) == 0 {
		return scenarios.Refund
	}
	return args[0]
}
