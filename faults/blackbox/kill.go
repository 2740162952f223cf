package blackbox

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/faults"
)

// killTries is how often a kill that did not land, or not where the recording says, is tried again
// before that is an error.
const killTries = 3

// Killed is one run that was killed.
type Killed struct {
	Point faults.Point
	// Calls are the durable calls that were done before the kill, the one at the point included if the
	// kill stands after it.
	Calls  []Call
	Acked  []string
	Stdout Output
	Stderr Output
	// Reordered says that the recorded order could not be repeated; then the calls before the kill are
	// right in number for the killed operation, and may be others of other operations.
	Reordered bool
	// Tries is how many runs it took.
	Tries int

	timed map[inode]bool // files whose times it set
}

// Kill runs the program in a copy of the template and kills it at a point of its trace. A kill counts
// only if the wait status shows it.
//
// Errors: as Record's, and *NotReachedError, *NotLandedError, *DivergedError.
func Kill(ctx context.Context, cfg Config, t *Trace, p faults.Point) (*Killed, error) {
	b, err := newBench(cfg)
	if err != nil {
		return nil, err
	}
	defer b.close()
	i, err := t.find(p)
	if err != nil {
		return nil, err
	}
	j := killJob{b: b, root: b.place(0), args: b.cfg.Command, from: b.template, target: t.target(i, p.Position, t.counts())}
	k, service, err := j.run(ctx)
	if service != nil {
		_ = service.Close()
	}
	return k, err
}

// killJob kills one life at one point.
type killJob struct {
	b      *bench
	root   string
	args   []string
	from   folder
	state  any // the provider's
	target *target
}

// run repeats the life from its state until the kill has landed in the recorded order, killTries times
// at most; the last try may be in another order. The service is still up, and the caller closes it.
func (j killJob) run(ctx context.Context) (*Killed, Service, error) {
	for try := 1; ; try++ {
		k, service, err := j.once(ctx, try)
		if ctx.Err() != nil {
			return k, service, ctx.Err()
		}
		if err == nil && !k.Reordered || try == killTries {
			return k, service, err
		}
		if service != nil {
			_ = service.Close()
		}
	}
}

func (j killJob) once(ctx context.Context, try int) (*Killed, Service, error) {
	if err := j.from.write(j.root); err != nil {
		return nil, nil, err
	}
	service, err := j.b.startProvider(ctx, j.state)
	if err != nil {
		return nil, nil, err
	}
	spec := j.b.lifeSpec(j.root, j.args, service)
	spec.tracing, spec.target = true, j.target
	spec.timeout *= 1 << min(try-1, 1)
	res, err := runLife(ctx, spec)
	if err == nil {
		err = j.verify(res, spec)
	}
	if err == nil {
		err = service.Settle(ctx)
	}
	if err != nil {
		return nil, service, err
	}
	return &Killed{Point: j.target.point(), Calls: res.calls, Acked: effectsOf(res.acks), Stdout: res.stdout,
		Stderr: res.stderr, Reordered: res.reordered, Tries: try, timed: res.timed}, service, nil
}

// verify returns an error unless the run was killed at its target, with the recorded calls before it.
func (j killJob) verify(res *lifeResult, spec *lifeSpec) error {
	p := j.target.point()
	switch {
	case res.cause == causeDiverged:
		return &DivergedError{p, res.diverged}
	case res.cause == causeHidden:
		return errHidden
	case res.cause == causeTimeout:
		return &NotReachedError{p, len(res.calls), timeoutText(spec.timeout)}
	case res.cause == causeKill && !res.landed:
		return &NotLandedError{p, res.status}
	case res.cause != causeKill:
		return &NotReachedError{p, len(res.calls), res.status + lastLines(res.stderr)}
	}
	if !res.reordered {
		return j.verifyPrefix(res.calls)
	}
	return nil
}

// verifyPrefix compares the calls of a run in the recorded order with the recording. Sends on sockets
// take no turns, so they are left out.
func (j killJob) verifyPrefix(calls []Call) error {
	want := j.target.prefix
	if j.target.position == faults.After {
		want = append(want[:len(want):len(want)], j.target.call)
	}
	got, wanted := onlyOrdered(calls), onlyOrdered(want)
	for i := range max(len(got), len(wanted)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("internal: the kill at %s came %d calls early", j.target.point(), len(wanted)-i)
		case i >= len(wanted) || got[i] != wanted[i]:
			return &DivergedError{j.target.point(), got[i]}
		}
	}
	return nil
}

func onlyOrdered(calls []Call) []Call {
	var out []Call
	for _, c := range calls {
		if c.ordered() {
			out = append(out, c)
		}
	}
	return out
}
