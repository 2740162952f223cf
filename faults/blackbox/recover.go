package blackbox

import (
	"context"
	"errors"
	"fmt"
)

// scene is one case on its way: its folder on disk, and the provider's service.
type scene struct {
	b       *bench
	root    string
	service Service
}

// state reads the scene's folder and names its state, given what the life in it began with and whose times that
// life set.
func (s *scene) state(from folder, timed map[inode]bool) (folder, stateKey, error) {
	f, err := s.b.readCase(s.root)
	if err != nil {
		return nil, stateKey{}, err
	}
	f.keepTimes(from, timed)
	_, key := s.service.Snapshot()
	return f, stateKey{f.digest(s.root, s.b.cfg.Ignore), key}, nil
}

// stateKey is the same for states that have the same continuations.
type stateKey struct {
	folder digest
	ledger string
}

// recovery is what came after a crash.
type recovery struct {
	lives    []recoveredLife
	problems []problem // why it does not end
	outside  []string
	end      folder
}

// recoveredLife is one life after a crash, and, where a further kill may come, what it began with.
type recoveredLife struct {
	trace *Trace
	from  folder
	home  string // where that must stay, if anywhere
	state any
	acked []string
}

// acked returns what was acknowledged in the first n lives of a recovery.
func (r *recovery) acked(n int) []string {
	var out []string
	for _, l := range r.lives[:n] {
		out = append(out, l.acked...)
	}
	return out
}

// traces returns those of the lives in which a further kill may come.
func (r *recovery) traces() []*Trace {
	var out []*Trace
	for _, l := range r.lives {
		if l.trace != nil {
			out = append(out, l.trace)
		}
	}
	return out
}

func (r *recovery) allAcked() []string { return r.acked(len(r.lives)) }

// recover starts the program again until it ends well, restarts are used up, or it fails in the same way
// twice from the same state. A life that takes too long is tried once more, from the same state, with
// twice the time.
func (s *scene) recover(ctx context.Context, from folder, traced bool) (*recovery, error) {
	r := &recovery{}
	before, failure := stateKey{}, ""
	for restart := 0; ; restart++ {
		state, _ := s.service.Snapshot()
		res, err := s.recoveryLife(ctx, from, state, traced)
		if err != nil {
			return nil, err
		}
		r.add(res)
		if traced {
			last := &r.lives[restart]
			last.trace, last.from, last.home, last.state = traceOf(res), from, from.home(s.root), state
		}
		if err := s.service.Settle(ctx); err != nil {
			return nil, err
		}
		f, after, err := s.state(from, res.timed)
		if errors.Is(err, ErrTooLarge) || err == nil && res.cause == causeTooLarge && !traced {
			r.stuck("the recovery fills its folder with more than %d bytes", s.b.cfg.Limits.caseBytes())
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		r.end = f
		if res.exit != 0 {
			if err := s.b.checkRoom(res.stderr, f); err != nil {
				return nil, err
			}
		}
		switch {
		case res.cause == causeTimeout:
			r.stuck("the recovery was still running after %s, twice", 2*s.b.cfg.Limits.Timeout)
			return r, nil
		case res.cause == causeTooLarge:
			r.stuck("the recovery wrote %d bytes and was stopped", res.written)
			return r, nil
		case res.exit == 0:
			return r, nil
		case restart > 0 && after == before && res.status == failure:
			r.stuck("the recovery fails the same way every time: it %s%s", res.status, lastLines(res.stderr))
			return r, nil
		case restart >= s.b.cfg.MaxRestarts:
			r.stuck("the recovery failed %d times: it %s%s", restart+1, res.status, lastLines(res.stderr))
			return r, nil
		}
		from, before, failure = f, after, res.status
	}
}

// tryRecover starts what recovers once where nothing was killed: if it isn't there, or is no program, that is
// said at once, and is no violation of the program's.
func (s *scene) tryRecover(ctx context.Context) error {
	if len(s.b.cfg.Recover) == 0 {
		return nil
	}
	res, err := s.life(ctx, false, 1)
	if err != nil {
		return err
	}
	const noProgram, notFound = 126, 127 // as shells report it
	if res.exit == noProgram || res.exit == notFound {
		return fmt.Errorf("%w: what recovers, %s, %s%s", ErrStart, commandText(s.b.cfg.Recover), res.status, lastLines(res.stderr))
	}
	return nil
}

func (r *recovery) add(res *lifeResult) {
	r.lives = append(r.lives, recoveredLife{acked: effectsOf(res.acks)})
	for p := range res.outside {
		r.outside = append(r.outside, p)
	}
}

func (r *recovery) stuck(format string, args ...any) {
	r.problems = append(r.problems, problem{NeverEnds, fmt.Sprintf(format, args...)})
}

func (s *scene) recoveryLife(ctx context.Context, from folder, state any, traced bool) (*lifeResult, error) {
	res, err := s.life(ctx, traced, 1)
	if err != nil || res.cause != causeTimeout {
		return res, err
	}
	if err := s.reset(ctx, from, state); err != nil {
		return nil, err
	}
	return s.life(ctx, traced, 2)
}

func (s *scene) life(ctx context.Context, traced bool, times int) (*lifeResult, error) {
	spec := s.b.lifeSpec(s.root, s.b.cfg.recover(), s.service)
	spec.tracing = traced
	for range times - 1 {
		spec.timeout += s.b.cfg.Limits.Timeout
	}
	res, err := runLife(ctx, spec)
	if err != nil {
		return nil, err
	}
	if res.cause == causeCancel {
		return nil, ctx.Err()
	}
	switch res.cause {
	case causeForeign:
		return nil, ErrForeignCall
	case causeHidden:
		return nil, errHidden
	}
	return res, nil
}

// reset puts the scene into a state.
func (s *scene) reset(ctx context.Context, f folder, state any) error {
	if s.service != nil {
		if err := s.service.Close(); err != nil {
			return err
		}
	}
	if err := f.write(s.root); err != nil {
		return err
	}
	var err error
	s.service, err = s.b.startProvider(ctx, state)
	return err
}
