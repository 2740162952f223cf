package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults/blackbox"
	"github.com/paytwice/paytwice/scenarios"
)

// Defaults that a replay line leaves out.
const (
	defaultRestarts = 5
	defaultTimeout  = 10 * time.Second
)

type execFlags struct {
	writing
	dir, exactlyOnce, acked, check, recover string
	crashes                                 int
	side                                    cli.Choice
	powerLoss                               bool
	maxRestarts                             int
	timeout                                 time.Duration
	ignore                                  []string
	workers                                 int
	provider                                string
	plan, keep                              string
	quiet                                   bool
}

var sides = map[string]blackbox.Sides{"before": blackbox.BeforeOnly, "after": blackbox.AfterOnly, "both": blackbox.BothSides}

func (p *program) exec() *cobra.Command {
	o := &execFlags{side: cli.Choice{Value: "both", Allowed: []string{"before", "after", "both"}}}
	c := &cobra.Command{
		Use:   "exec [flags] -- PROGRAM ARGS...",
		Short: "Crashes any program, in any language, at each of its durable system calls (Linux)",
		Long: "Runs a program in copies of a folder, stops it at every system call that changes something\n" +
			"durable, kills it there, starts it again, and judges what it left behind.",
		Example: "  paytwice exec --exactly-once charges.log -- node careless.mjs\n" +
			"  paytwice exec --check './consistent.sh' --power-loss -- ./server --once\n" +
			"  paytwice exec --provider replay-all -- python3 refund.py",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return p.runExec(c, o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.dir, "dir", ".", "the folder that each case gets a copy of, at most 64 MB")
	f.StringVar(&o.exactlyOnce, "exactly-once", "", "a file in the folder: each line of the undisturbed run must stand there exactly once at the end")
	f.StringVar(&o.acked, "acked", "", "lines on standard output that promise an effect (a regular expression)")
	f.StringVar(&o.check, "check", "", "a command run in the folder at the end: exit 0 fine, 1 a violation")
	f.StringVar(&o.recover, "recover", "", "what to start after a kill (default: the program)")
	f.IntVar(&o.crashes, "crashes", 1, "how many kills a case may have; the second strikes the recovery")
	f.Var(&o.side, "side", "kill before each call, after it, or both")
	f.BoolVar(&o.powerLoss, "power-loss", false, "also recover from every folder that a power cut could leave")
	f.IntVar(&o.maxRestarts, "max-restarts", defaultRestarts, "how often a recovery that fails is started again")
	f.DurationVar(&o.timeout, "timeout", defaultTimeout, "ends one run that hangs; tried once more with twice the time")
	f.StringArrayVar(&o.ignore, "ignore", nil, "files that don't count (a glob; may be given several times)")
	addWorkers(f, &o.workers, "how many cases run at once")
	f.StringVar(&o.provider, "provider", "", "start a payment provider of this profile; its address is in PAYTWICE_PROVIDER_URL")
	f.StringVar(&o.plan, "plan", "", "run this one plan of a report again")
	f.StringVar(&o.keep, "keep", "", "with --plan: keep what the last crash left in this folder, new or empty")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	o.writing.add(f, execForms.names()...)
	return c
}

// given refuses flags that say nothing where they stand: an empty value is most likely a variable that is not set.
func (o *execFlags) given(f *pflag.FlagSet) error {
	for _, name := range []string{"exactly-once", "acked", "check", "recover", "provider", "plan", "keep"} {
		if f.Changed(name) && f.Lookup(name).Value.String() == "" {
			return emptyValue(name)
		}
	}
	if slices.Contains(o.ignore, "") {
		return emptyValue("ignore")
	}
	if o.keep != "" && o.plan == "" {
		return cli.WrongUse("--keep keeps what the last crash of one plan left: give --plan too")
	}
	return nil
}

func emptyValue(name string) error {
	return cli.WrongUse("--%s has an empty value: give it one, or leave the flag out", name)
}

// config turns the flags into what the tracer takes.
func (o *execFlags) config(args []string) (blackbox.Config, error) {
	if len(args) == 0 {
		return blackbox.Config{}, cli.WrongUse("exec needs a program after --, such as exec --exactly-once charges.log -- node careless.mjs")
	}
	if o.crashes < 1 || o.maxRestarts < 1 || o.timeout <= 0 || o.workers < 1 {
		return blackbox.Config{}, cli.WrongUse("--crashes, --max-restarts, --timeout and --workers are above 0")
	}
	cfg := blackbox.Config{Command: args, Template: o.dir, ExactlyOnce: o.exactlyOnce, Crashes: o.crashes, Sides: sides[o.side.Value], PowerLoss: o.powerLoss,
		MaxRestarts: o.maxRestarts, Ignore: o.ignore, Workers: o.workers, Limits: blackbox.Limits{Timeout: o.timeout}, Now: cli.Wall{}.Now}
	if o.acked != "" {
		pattern, err := regexp.Compile(o.acked)
		if err != nil {
			return cfg, cli.WrongUse("--acked: %w", err)
		}
		cfg.Acked = pattern
	}
	if o.check != "" {
		cfg.Check = shell(o.check)
	}
	if o.recover != "" {
		cfg.Recover = shell(o.recover)
	}
	if o.provider != "" {
		profile, err := scenarios.CheckProvider(o.provider)
		if err != nil {
			return cfg, err
		}
		cfg.Provider = doubles{profile}
	}
	return cfg, nil
}

func shell(command string) []string { return []string{"/bin/sh", "-c", command} }

func (p *program) runExec(c *cobra.Command, o *execFlags, args []string) (failed error) {
	if o.plan != "" && (o.format.Value != "text" || o.file != "") {
		return cli.WrongUse("one plan is told as text on standard output: give --plan without --format and --output")
	}
	if err := o.given(c.Flags()); err != nil {
		return err
	}
	cfg, err := o.config(args)
	if err != nil {
		return err
	}
	if info, err := os.Stat(o.dir); err != nil || !info.IsDir() {
		return cli.WrongUse("--dir %s is no folder", o.dir)
	}
	if err := blackbox.Available(); err != nil {
		return err
	}
	if o.exactlyOnce == "" && o.acked == "" && o.check == "" && o.provider == "" {
		p.note("nothing says what the program must leave behind, so only whether it comes to an end is judged; give --exactly-once, --check, --acked or --provider")
	}
	if text := wrapperNote(args[0]); text != "" {
		p.note(text)
	}
	to, err := p.open(&o.writing)
	if err != nil {
		return err
	}
	defer func() { to.end(c.Name(), failed) }()
	// What a process that was itself killed leaves there is removed by the next one.
	if cfg.WorkDir, err = child.CaseFolder(); err != nil {
		return err
	}
	defer os.RemoveAll(cfg.WorkDir)
	if o.plan != "" {
		return p.replayExec(c.Context(), o, cfg)
	}
	progress := p.progress("exec", o.quiet)
	cfg.Progress = func(g blackbox.Progress) { progress.at(g.Done, g.Total) }
	report, err := blackbox.Sweep(c.Context(), cfg)
	progress.end()
	// A stop shows in many ways: a program that is ended while it is prepared is one of them.
	interrupted := err != nil && report != nil && c.Context().Err() != nil
	if err != nil && !interrupted {
		return execError(err)
	}
	if n := report.LeftBehind; n > 0 {
		p.note(fmt.Sprintf("%d process(es) still ran when the undisturbed program had ended; in every case they are ended with it", n))
	}
	if n := report.Retried; n > 0 {
		p.note(fmt.Sprintf("%d of %d kills took more than one try", n, report.Kills.Landed))
	}
	d := execDocument(report, func(plan string) string { return o.replayLine(plan, args) })
	if interrupted {
		d.Complete, d.LeftOut = false, stoppedExec(d.LeftOut)
	}
	if err := deliver(p, to, execForms, o.format.Value, d); err != nil {
		return err
	}
	undecided := 0
	if !d.Complete {
		undecided = 1
	}
	return verdict(len(d.Violations), undecided, d.LeftOut)
}

// stoppedExec adds to what a sweep left out that it was interrupted, unless that is said already.
func stoppedExec(leftOut string) string {
	if strings.Contains(leftOut, "interrupted") {
		return leftOut
	}
	return strings.TrimSuffix("interrupted; "+leftOut, "; ")
}

// execError tells what the caller got wrong from what kept the harness from its work.
func execError(err error) error {
	if errors.Is(err, blackbox.ErrConfig) && (errors.Is(err, blackbox.ErrTooLarge) || errors.Is(err, blackbox.ErrInsideWork)) {
		err = fmt.Errorf("%w; copy what the program needs into a folder of its own, and name that with --dir", err)
	}
	if unstable := (*blackbox.UnstableError)(nil); errors.As(err, &unstable) {
		err = fmt.Errorf("%w; --ignore leaves out files that don't count", err)
	}
	for _, usage := range []error{blackbox.ErrConfig, blackbox.ErrStart} {
		if errors.Is(err, usage) {
			return &cli.UsageError{Err: err}
		}
	}
	return err
}

func (p *program) replayExec(ctx context.Context, o *execFlags, cfg blackbox.Config) error {
	one, err := blackbox.Replay(ctx, cfg, o.plan, blackbox.ReplayOptions{Keep: o.keep})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return execError(err)
	}
	p.out.Printf("plan %s\n", o.plan)
	for _, v := range one.Violations {
		p.out.Printf("%s: %s\n", v.Invariant, v.Detail)
	}
	if len(one.Violations) == 0 {
		p.out.Printf("no violation\n")
	}
	return verdict(len(one.Violations), 0, "")
}

func execDocument(r *blackbox.Report, replay func(plan string) string) history.Exec {
	d := history.Exec{Schema: history.ExecSchema, Calls: r.Calls, Cases: r.Kills.Cases + r.PowerLoss.Cases, Landed: r.Kills.Landed + r.PowerLoss.Landed,
		States: r.States, Kills: column(r.Kills), Violations: []history.ExecViolation{}, Complete: r.Complete, LeftOut: r.LeftOut, Model: r.Power,
		Outside: r.Outside, Mapped: r.Mapped, Reordered: r.Reordered}
	if r.Power != "" {
		power := column(r.PowerLoss)
		d.PowerLoss = &power
	}
	for _, v := range r.Smallest() {
		d.Violations = append(d.Violations, history.ExecViolation{Invariant: v.Invariant, Plan: v.Plan, Call: v.Call, Path: v.Path, Detail: v.Detail, Replay: replay(v.Plan)})
	}
	return d
}

func column(c blackbox.Column) history.ExecColumn {
	out := history.ExecColumn{Cases: c.Cases, Landed: c.Landed, States: c.States, Violations: map[string]int{}}
	for k, v := range c.Violations {
		out.Violations[k] = v
	}
	return out
}

// replayLine is the whole command that runs one plan again.
func (o *execFlags) replayLine(plan string, args []string) string {
	parts := []string{"paytwice", "exec", "--plan", quote(plan)}
	add := func(flag, value, standard string) {
		if value != standard {
			parts = append(parts, "--"+flag, quote(value))
		}
	}
	add("dir", o.dir, ".")
	add("exactly-once", o.exactlyOnce, "")
	add("acked", o.acked, "")
	add("check", o.check, "")
	add("recover", o.recover, "")
	add("provider", o.provider, "")
	add("max-restarts", fmt.Sprint(o.maxRestarts), fmt.Sprint(defaultRestarts))
	add("timeout", o.timeout.String(), defaultTimeout.String())
	for _, g := range o.ignore {
		parts = append(parts, "--ignore", quote(g))
	}
	parts = append(parts, "--")
	for _, a := range args {
		parts = append(parts, quote(a))
	}
	return strings.Join(parts, " ")
}

// quote makes a word safe for a POSIX shell, unchanged where nothing in it is special.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || slices.Contains([]rune("._-/=:,+@%"), r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
