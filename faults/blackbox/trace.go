package blackbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/faults"
)

// Trace is one undisturbed run.
type Trace struct {
	// Calls are the durable calls in the order in which they were let through, one at a time.
	Calls  []Call
	Stdout Output
	Stderr Output
	// Acked are the acknowledged effects, in order.
	Acked []string
	// Outside are files elsewhere that the program changed: they are not set back between cases.
	Outside []string
	// Mapped are files below the folder that were mapped for writing: stores in maps are not seen.
	Mapped []string
	// LeftBehind counts processes that still ran when the program had ended; they were killed then.
	LeftBehind int

	threads []int // who made each call
	log     *powerLog
	end     folder
}

// Record runs the program undisturbed in a copy of the template.
//
// Errors: ErrConfig, ErrTooLarge, ErrStart, ErrFailed, ErrNeverEnds, ErrNoDurableCall, ErrForeignCall,
// ErrUnavailable, ErrPlatform, or the context's. Nothing is left running or on disk.
func Record(ctx context.Context, cfg Config) (*Trace, error) {
	b, err := newBench(cfg)
	if err != nil {
		return nil, err
	}
	defer b.close()
	service, err := b.startProvider(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	return b.record(ctx, b.place(0), service, cfg.PowerLoss)
}

// record runs the program undisturbed in a fresh copy of the template.
func (b *bench) record(ctx context.Context, root string, service Service, power bool) (*Trace, error) {
	if err := b.template.write(root); err != nil {
		return nil, err
	}
	spec := b.lifeSpec(root, b.cfg.Command, service)
	spec.tracing = true
	if power {
		var err error
		if spec.record, err = newRecorder(root, b.template); err != nil {
			return nil, err
		}
		spec.onCall = func(int) { spec.record.snapshot(service) }
	}
	res, err := runLife(ctx, spec)
	if err != nil {
		return nil, err
	}
	if res.cause == causeCancel {
		return nil, ctx.Err()
	}
	if err := res.failure(spec.timeout); err != nil {
		return nil, err
	}
	if err := service.Settle(ctx); err != nil {
		return nil, err
	}
	t := traceOf(res)
	if !slices.ContainsFunc(t.Calls, func(c Call) bool { return c.Path != pathStdout }) {
		return nil, fmt.Errorf("%w%s%s", ErrNoDurableCall, butOutput(t), b.whyNone(t))
	}
	if t.end, err = b.readCase(root); err != nil {
		return nil, err
	}
	if power {
		spec.record.snapshot(service)
		t.log = spec.record.finish(res, t.end, b.cfg.Ignore)
	}
	return t, nil
}

func (b *bench) lifeSpec(root string, args []string, service Service) *lifeSpec {
	return &lifeSpec{
		args: args, root: root, env: b.cfg.env(root, service.Env()...), acks: b.cfg.Acked,
		ignore: b.cfg.Ignore, timeout: b.cfg.Limits.Timeout, limits: b.cfg.Limits,
	}
}

func traceOf(res *lifeResult) *Trace {
	return &Trace{
		Calls: res.calls, Stdout: res.stdout, Stderr: res.stderr, Acked: effectsOf(res.acks),
		Outside: slices.Sorted(maps.Keys(res.outside)), Mapped: slices.Sorted(maps.Keys(res.mapped)),
		LeftBehind: res.leftBehind, threads: res.threads,
	}
}

func butOutput(t *Trace) string {
	if len(t.Calls) == 0 {
		return ""
	}
	return " but to standard output"
}

// whyNone says what may be the reason that a program made no durable call, if anything shows one.
func (b *bench) whyNone(t *Trace) string {
	switch n := len(b.template) - 1; { // without itself
	case len(t.Outside) > 0:
		return fmt.Sprintf("; it wrote elsewhere: %s", t.Outside[0])
	case t.LeftBehind > 0:
		return fmt.Sprintf("; %d process(es) still ran when it had ended, and were ended with it: let it wait for them", t.LeftBehind)
	case n > 0:
		return fmt.Sprintf("; its folder already holds %d names: a finished run? Begin with a folder without its files", n)
	}
	return ""
}

// counts returns how often each operation was called.
func (t *Trace) counts() map[site]int {
	out := map[site]int{}
	for _, c := range t.Calls {
		out[c.site()]++
	}
	return out
}

// find returns where in the trace the call of a point stands.
//
// Errors: ErrConfig for a point of another kind; *NotReachedError.
func (t *Trace) find(p faults.Point) (int, error) {
	c, err := callOf(p)
	if err != nil {
		return 0, err
	}
	if i := slices.Index(t.Calls, c); i >= 0 {
		return i, nil
	}
	return 0, &NotReachedError{p, len(t.Calls), "does not make that call in its recorded run; " + t.nearest(c)}
}

// nearest says what the trace has in the place of a call that it has not.
func (t *Trace) nearest(c Call) string {
	known := t.counts()
	if n := known[c.site()]; n > 0 {
		return fmt.Sprintf("it makes %s %d time(s)", c.Site(), n)
	}
	var sites []string
	for s := range known {
		sites = append(sites, Call{Name: s.name, Path: s.path}.Site().String())
	}
	slices.Sort(sites)
	if near := faults.Nearest(c.Site().String(), sites); near != "" {
		return "did you mean " + near + "?"
	}
	const most = 5
	if len(sites) > most {
		sites = append(sites[:most], "...")
	}
	return "it makes " + strings.Join(sites, ", ")
}

// target returns what a life needs to be killed at the i-th call of this trace.
func (t *Trace) target(i int, position faults.Position, known map[site]int) *target {
	return &target{call: t.Calls[i], position: position, prefix: t.Calls[:i], threads: t.threads[:i+1], known: known}
}

// compare returns an UnstableError if another undisturbed run made other calls, by their numbers per
// name and path: threads may have made them in another order.
func (t *Trace) compare(other *Trace) error {
	first, second := t.counts(), other.counts()
	for _, calls := range [][]Call{t.Calls, other.Calls} {
		for _, c := range calls {
			if s := c.site(); first[s] != second[s] {
				return &UnstableError{c.Site(), first[s], second[s]}
			}
		}
	}
	return nil
}
