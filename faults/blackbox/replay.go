package blackbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/faults"
)

// Case is one plan, run again.
type Case struct {
	Plan  string
	Lives []Life
	// Ledger is the provider's at the end, and Effects the lines of the file of effects.
	Ledger     []string
	Effects    []string
	Violations []Violation
}

// Life is one incarnation of the program.
type Life struct {
	// Calls are its durable calls.
	Calls []Call
	// Ended says how: "killed", "power lost", "done" or "error".
	Ended  string
	Stdout Output
	Stderr Output
}

// ReplayOptions of a replay.
type ReplayOptions struct {
	// Keep names a folder that gets what the last crash left. It is made, or must be empty.
	Keep string
}

// Replay runs one plan of a report again: "run", kills, or a power cut.
//
// Errors: as Sweep's, and ErrConfig for a text that is no plan, or where what is kept has no empty folder.
func Replay(ctx context.Context, cfg Config, plan string, opts ReplayOptions) (*Case, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	b, err := newBench(cfg)
	if err != nil {
		return nil, err
	}
	defer b.close()
	r := &replay{b: b, opts: opts, judge: newJudge(b), scene: scene{b: b, root: b.place(0)}, out: &Case{Plan: plan}}
	defer func() {
		if r.scene.service != nil {
			_ = r.scene.service.Close()
		}
	}()
	if strings.HasPrefix(plan, cutVerb) {
		return r.out, r.cut(ctx, plan)
	}
	return r.out, r.kills(ctx, plan)
}

// check refuses a folder that something is in already: what is kept takes the place of all that is there.
func (o ReplayOptions) check() error {
	if o.Keep == "" {
		return nil
	}
	switch entries, err := os.ReadDir(o.Keep); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: the folder that keeps the crash: %w", ErrConfig, err)
	case len(entries) > 0:
		return fmt.Errorf("%w: the folder that keeps the crash, %s, is not empty", ErrConfig, o.Keep)
	}
	return nil
}

type replay struct {
	b     *bench
	opts  ReplayOptions
	judge *judge
	scene scene
	out   *Case
}

// undisturbed records the program and takes its end as the wanted one.
func (r *replay) undisturbed(ctx context.Context, power bool) (*Trace, ending, error) {
	if err := r.scene.reset(ctx, r.b.template, nil); err != nil {
		return nil, ending{}, err
	}
	t, err := r.b.record(ctx, r.scene.root, r.scene.service, power)
	if err != nil {
		return nil, ending{}, err
	}
	end, err := r.judge.expect(ctx, r.scene.root, t.end, r.scene.service, t.Acked)
	return t, end, err
}

func (r *replay) kills(ctx context.Context, text string) error {
	plan, err := faults.Parse(text)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	for i, life := range plan {
		kill := len(life) == 1 && life[0].Verb == faults.Kill
		if !kill && (len(life) > 0 || i == 0) || !kill && i == len(plan)-1 {
			return fmt.Errorf("%w: a life of a plan for a program holds one kill, or is a run between two", ErrConfig)
		}
	}
	trace, end, err := r.undisturbed(ctx, false)
	if err != nil {
		return err
	}
	if len(plan) == 0 {
		r.live("done", trace.Calls, trace.Stdout, trace.Stderr)
		r.finish(end, trace.end)
		return nil
	}
	if err := r.scene.tryRecover(ctx); err != nil {
		return err
	}
	args, from, state := r.b.cfg.Command, r.b.template, any(nil)
	var acked []string
	for len(plan) > 0 {
		k, err := r.kill(ctx, trace, plan[0][0].Point, args, from, state)
		if err != nil {
			return err
		}
		acked = append(acked, k.Acked...)
		if from, _, err = r.scene.state(from, k.timed); err != nil {
			return err
		}
		args, plan = r.b.cfg.recover(), plan[1:]
		if len(plan) == 0 {
			break
		}
		next, err := r.between(ctx, from, plan)
		if err != nil {
			return err
		}
		trace, from, state, acked = next.trace, next.from, next.state, append(acked, next.acked...)
		plan = plan[slices.IndexFunc(plan, func(l faults.Life) bool { return len(l) > 0 }):]
	}
	return r.recover(ctx, from, acked)
}

// between recovers from a kill and returns the life of that recovery which the plan kills, with all that the
// lives before it acknowledged: they ended by themselves.
func (r *replay) between(ctx context.Context, from folder, plan faults.Plan) (*recoveredLife, error) {
	rec, err := r.scene.recover(ctx, from, true)
	if err != nil {
		return nil, err
	}
	n := slices.IndexFunc(plan, func(l faults.Life) bool { return len(l) > 0 })
	if n >= len(rec.lives) {
		return nil, &NotReachedError{plan[n][0].Point, 0, fmt.Sprintf("came to its end after %d lives", len(rec.lives))}
	}
	for _, l := range rec.lives[:n] {
		r.live("error", l.trace.Calls, l.trace.Stdout, l.trace.Stderr)
	}
	killed := rec.lives[n]
	killed.acked = rec.acked(n)
	return &killed, nil
}

func (r *replay) kill(ctx context.Context, t *Trace, p faults.Point, args []string, from folder, state any) (*Killed, error) {
	i, err := t.find(p)
	if err != nil {
		return nil, err
	}
	if err := r.scene.service.Close(); err != nil {
		return nil, err
	}
	k, service, err := killJob{b: r.b, root: r.scene.root, args: args, from: from, state: state,
		target: t.target(i, p.Position, t.counts())}.run(ctx)
	r.scene.service = service
	if err == nil {
		r.live("killed", k.Calls, k.Stdout, k.Stderr)
	}
	return k, err
}

func (r *replay) cut(ctx context.Context, text string) error {
	c, err := ParseCut(text)
	if err != nil {
		return err
	}
	trace, _, err := r.undisturbed(ctx, true)
	if err != nil {
		return err
	}
	if err := r.scene.tryRecover(ctx); err != nil {
		return err
	}
	set, err := Images(trace, r.b.cfg.Power)
	if err != nil {
		return err
	}
	im, err := set.find(c)
	if err != nil {
		return err
	}
	if err := r.scene.reset(ctx, im.folder, im.state); err != nil {
		return err
	}
	done := 0
	for _, op := range trace.log.ops[:c.Ops] {
		done = max(done, op.call+1)
	}
	r.live("power lost", trace.Calls[:done], Output{}, Output{})
	err = r.recover(ctx, im.folder, im.Acked)
	for i := range r.out.Violations {
		r.out.Violations[i].Detail += "; " + im.Lost()
	}
	return err
}

// recover runs the lives after the last crash and judges their end.
func (r *replay) recover(ctx context.Context, from folder, acked []string) error {
	if r.opts.Keep != "" {
		if err := r.opts.check(); err != nil {
			return err
		}
		if err := from.write(r.opts.Keep); err != nil {
			return err
		}
	}
	rec, err := r.scene.recover(ctx, from, true)
	if err != nil {
		return err
	}
	ended := "done"
	end := ending{problems: rec.problems}
	if len(rec.problems) > 0 {
		ended = "error"
	} else if end, err = r.judge.end(ctx, r.scene.root, rec.end, r.scene.service, append(acked, rec.allAcked()...)); err != nil {
		return err
	}
	for i, l := range rec.lives {
		how := "error"
		if i == len(rec.lives)-1 {
			how = ended
		}
		r.live(how, l.trace.Calls, l.trace.Stdout, l.trace.Stderr)
	}
	s := sweep{judge: r.judge}
	for _, p := range s.problemsOf(edge{to: &node{rec: rec, end: end}}, acked) {
		r.out.Violations = append(r.out.Violations, Violation{Invariant: p.invariant, Plan: r.out.Plan, Detail: p.detail})
	}
	r.finish(ending{effects: end.effects}, rec.end)
	return nil
}

func (r *replay) live(ended string, calls []Call, stdout, stderr Output) {
	r.out.Lives = append(r.out.Lives, Life{calls, ended, stdout, stderr})
}

func (r *replay) finish(end ending, f folder) {
	r.out.Ledger = r.scene.service.Ledger()
	for line := range strings.Lines(string(r.judge.effectsFile(f))) {
		r.out.Effects = append(r.out.Effects, strings.TrimSuffix(line, "\n"))
	}
	for _, p := range end.problems {
		r.out.Violations = append(r.out.Violations, Violation{Invariant: p.invariant, Plan: r.out.Plan, Detail: p.detail})
	}
}
