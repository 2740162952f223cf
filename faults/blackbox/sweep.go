package blackbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/paytwice/paytwice/faults"
)

// Sweep crashes a program everywhere and judges its ends.
//
// Two undisturbed runs come first and must make the same calls. Then the program is killed at each side
// of each call; each different state of folder and ledger is recovered once and judged, and with Crashes
// above 1 its recovery is killed everywhere in turn. With PowerLoss, the folders that a power cut could
// have left during the first run are recovered and judged too.
//
// Errors: as Record's; *UnstableError, ErrAcked, ErrCheck; *NotReachedError, *NotLandedError or
// *DivergedError, the first of the cases in which the kill was not seen to land where it should. The
// report comes with every error, as far as the sweep got, also when the context ends. In any case nothing
// is left running or on disk.
//
// Concurrency: safe. Determinism: the report depends on what the program does, not on the workers.
func Sweep(ctx context.Context, cfg Config) (*Report, error) {
	r := &Report{}
	b, err := newBench(cfg)
	if err != nil {
		return r, err
	}
	s := &sweep{b: b, judge: newJudge(b), nodes: map[nodeKey]*node{}, report: r, outside: map[string]bool{}, classes: map[class]bool{},
		meter: newMeter(cfg.Progress, cfg.Now)}
	err = s.run(ctx)
	s.finish(err)
	return r, errors.Join(err, b.close())
}

// sweep is one job of Sweep.
type sweep struct {
	b      *bench
	judge  *judge
	meter  *meter
	report *Report
	root   ending // the undisturbed run's
	trace  *Trace

	mu         sync.Mutex
	nodes      map[nodeKey]*node
	recoveries int
	overStates int
	overKills  int
	outside    map[string]bool
	classes    map[class]bool // of the violations listed

	edges []edge // all kills that landed, in the order of cases
	cuts  []edge
	over  []string // what was left out
}

// nodeKey names a state. Where the check command is told what was acknowledged, that is part of it.
type nodeKey struct {
	stateKey
	acked digest
}

// node is a state after a crash, and what came of it.
type node struct {
	plan  faults.Plan // the first that led here
	first int         // its edge
	depth int
	rec   *recovery
	end   ending
}

// edge is one case: a crash that led from a state to another.
type edge struct {
	parent *node // nil for the undisturbed run's start
	life   int   // which of the parent's recovery was crashed
	point  faults.Point
	plan   faults.Plan
	cut    *Image
	to     *node
	acked  []string // since the parent
}

// after returns the plan of an edge that follows another plan: the lives of the recovery before the one that
// was crashed ended by themselves.
func (e *edge) after(plan faults.Plan) faults.Plan {
	out := append(slices.Clone(plan), make(faults.Plan, e.life)...)
	return append(out, faults.Life{faults.KillAt(e.point)})
}

func (s *sweep) run(ctx context.Context) error {
	if err := s.record(ctx); err != nil {
		return err
	}
	if err := s.kills(ctx); err != nil {
		return err
	}
	if s.b.cfg.PowerLoss {
		return s.powerLoss(ctx)
	}
	return nil
}

// record runs the program twice undisturbed and takes its end as the wanted one.
func (s *sweep) record(ctx context.Context) error {
	s.meter.phase("record", 2)
	sc := &scene{b: s.b, root: s.b.place(0)}
	if err := sc.reset(ctx, s.b.template, nil); err != nil {
		return err
	}
	defer func() { _ = sc.service.Close() }()
	first, err := s.b.record(ctx, sc.root, sc.service, false)
	if err != nil {
		return err
	}
	s.meter.step(0)
	firstEffects := s.judge.onRecord(first.end, sc.service)
	if err := sc.reset(ctx, s.b.template, nil); err != nil {
		return err
	}
	if s.trace, err = s.b.record(ctx, sc.root, sc.service, s.b.cfg.PowerLoss); err != nil {
		return err
	}
	s.meter.step(0)
	s.noteOutside(s.trace.Outside)
	s.report.Calls, s.report.Mapped, s.report.LeftBehind = len(s.trace.Calls), s.trace.Mapped, s.trace.LeftBehind
	if err := first.compare(s.trace); err != nil {
		return err
	}
	if err := firstEffects.compare(s.judge.onRecord(s.trace.end, sc.service)); err != nil {
		return err
	}
	if s.root, err = s.judge.expect(ctx, sc.root, s.trace.end, sc.service, s.trace.Acked); err != nil {
		return err
	}
	return sc.tryRecover(ctx)
}

// kills runs the cases with one kill, then those with two, and so on.
func (s *sweep) kills(ctx context.Context) error {
	starts := []*node{nil}
	for depth := 1; depth <= s.b.cfg.Crashes && len(starts) > 0; depth++ {
		jobs := s.jobsFrom(starts)
		s.meter.phase("kill", len(jobs))
		edges := make([]edge, len(jobs))
		err := s.parallel(ctx, len(jobs), func(ctx context.Context, worker, i int) error {
			var err error
			edges[i], err = s.kill(ctx, worker, jobs[i], depth)
			return err
		})
		s.report.Kills.Cases += len(jobs)
		starts = s.take(edges, depth)
		if err != nil {
			return err
		}
	}
	return nil
}

// job is one kill to be done.
type job struct {
	parent   *node
	life     int // of the parent's recovery
	trace    *Trace
	known    map[site]int
	index    int
	position faults.Position
}

func (j job) point() faults.Point { return j.trace.Calls[j.index].Point(j.position) }

func (s *sweep) jobsFrom(starts []*node) []job {
	var positions []faults.Position
	if s.b.cfg.Sides != AfterOnly {
		positions = append(positions, faults.Before)
	}
	if s.b.cfg.Sides != BeforeOnly {
		positions = append(positions, faults.After)
	}
	var jobs []job
	for _, n := range starts {
		traces := []*Trace{s.trace}
		if n != nil {
			traces = n.rec.traces()
		}
		for life, t := range traces {
			known := t.counts()
			var all []job
			for i := range t.Calls {
				for _, p := range positions {
					all = append(all, job{n, life, t, known, i, p})
				}
			}
			some := spread(all, s.b.cfg.MaxKills)
			s.overKills += len(all) - len(some)
			jobs = append(jobs, some...)
		}
	}
	return jobs
}

// spread returns at most n jobs, each the middle one of its share; all for 0.
func spread(jobs []job, n int) []job {
	if n == 0 || len(jobs) <= n {
		return jobs
	}
	out := make([]job, n)
	for i := range out {
		out[i] = jobs[(2*i+1)*len(jobs)/(2*n)]
	}
	return out
}

// take adds the edges of a level and returns its new nodes, in the order of cases.
func (s *sweep) take(edges []edge, depth int) []*node {
	var fresh []*node
	for _, e := range edges {
		if e.to == nil {
			continue
		}
		e.plan = e.after(planOf(e.parent))
		if e.to.plan == nil {
			e.to.plan, e.to.first = e.plan, len(s.edges)
			if e.to.depth == depth && e.to.rec != nil {
				fresh = append(fresh, e.to)
			}
		}
		s.edges = append(s.edges, e)
	}
	return fresh
}

func planOf(n *node) faults.Plan {
	if n == nil {
		return nil
	}
	return n.plan
}

// kill does one kill, and recovers the state that it leads to if that is new.
func (s *sweep) kill(ctx context.Context, worker int, j job, depth int) (edge, error) {
	args, from, home, state, acked := s.b.cfg.Command, s.b.template, "", any(nil), []string(nil)
	if j.parent != nil {
		l := &j.parent.rec.lives[j.life]
		args, from, home, state, acked = s.b.cfg.recover(), l.from, l.home, l.state, j.parent.rec.acked(j.life)
	}
	root, release := s.b.take(worker, home)
	defer release()
	k, service, err := killJob{b: s.b, root: root, args: args, from: from, state: state,
		target: j.trace.target(j.index, j.position, j.known)}.run(ctx)
	sc := &scene{b: s.b, root: root, service: service}
	defer func() {
		if sc.service != nil {
			_ = sc.service.Close()
		}
	}()
	if err != nil {
		return edge{}, err
	}
	s.noteKill(k)
	e := edge{parent: j.parent, life: j.life, point: j.point(), acked: append(acked, k.Acked...)}
	f, key, err := sc.state(from, k.timed)
	if err == nil {
		e.to, err = s.reach(ctx, sc, f, key, e.acked, depth)
	}
	return e, err
}

func (s *sweep) noteKill(k *Killed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Kills.Landed++
	if k.Reordered {
		s.report.Reordered++
	}
	if k.Tries > 1 {
		s.report.Retried++
	}
}

// reach returns the node of a state, after its recovery if nobody has reached it before.
func (s *sweep) reach(ctx context.Context, sc *scene, f folder, key stateKey, acked []string, depth int) (*node, error) {
	id := nodeKey{stateKey: key}
	if len(s.b.cfg.Check) > 0 && s.b.cfg.Acked != nil {
		id.acked = ackedSum(acked)
	}
	s.mu.Lock()
	n, known := s.nodes[id]
	full := !known && len(s.nodes) >= s.b.cfg.MaxStates
	if full {
		s.overStates++
	}
	if !known && !full {
		n = &node{depth: depth}
		s.nodes[id] = n
	}
	s.mu.Unlock()
	if known || full {
		return n, nil
	}
	rec, err := sc.recover(ctx, f, depth < s.b.cfg.Crashes)
	if err != nil {
		return n, err
	}
	s.mu.Lock()
	s.recoveries += len(rec.lives)
	s.mu.Unlock()
	s.noteOutside(rec.outside)
	if len(rec.problems) == 0 {
		n.end, err = s.judge.end(ctx, sc.root, rec.end, sc.service, append(acked[:len(acked):len(acked)], rec.allAcked()...))
	} else {
		n.end = ending{problems: rec.problems}
	}
	rec.end = nil
	n.rec = rec
	return n, err
}

func (s *sweep) noteOutside(paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range paths {
		if len(s.outside) < 1000 {
			s.outside[p] = true
		}
	}
}

func (s *sweep) stateCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.nodes)
}

// leaveOut notes what a report does not cover.
func (s *sweep) leaveOut(format string, args ...any) {
	s.over = append(s.over, fmt.Sprintf(format, args...))
}
