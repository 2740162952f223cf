package blackbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/faults"
)

// finish fills in the report once a sweep has ended, well or not.
func (s *sweep) finish(err error) {
	r := s.report
	r.States, r.Recoveries = len(s.nodes), s.recoveries
	r.Outside = slices.Sorted(maps.Keys(s.outside))
	r.Kills.States, r.PowerLoss.States = countStates(s.edges), countStates(s.cuts)
	r.Kills.Violations, r.PowerLoss.Violations = map[string]int{}, map[string]int{}
	for _, p := range s.root.problems {
		s.add(&r.Kills, Violation{Invariant: p.invariant, Plan: faults.Plan{}.String(), Detail: p.detail})
	}
	s.killFindings()
	s.cutFindings()
	s.whatIsMissing(err)
	r.Complete, r.LeftOut = len(s.over) == 0, strings.Join(s.over, "; ")
}

func countStates(edges []edge) int {
	seen := map[*node]bool{}
	for _, e := range edges {
		seen[e.to] = true
	}
	return len(seen)
}

func (s *sweep) whatIsMissing(err error) {
	r := s.report
	if s.overKills > 0 {
		s.leaveOut("%d of %d kills were left out, evenly", s.overKills, s.overKills+r.Kills.Cases)
	}
	if s.overStates > 0 {
		s.leaveOut("%d kills led to states beyond the limit of %d and were not recovered", s.overStates, s.b.cfg.MaxStates)
	}
	if err == nil {
		return
	}
	how := "failed"
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		how = "was interrupted"
	}
	text := fmt.Sprintf("the sweep %s after %d of %d kills", how, r.Kills.Landed, max(r.Kills.Cases, r.Kills.Landed))
	if all, recovered := len(s.nodes), s.recovered(); recovered < all {
		text += fmt.Sprintf(", with %d of %d states recovered", recovered, all)
	}
	s.over = append(s.over, text)
	if r.PowerLoss.Cases > 0 {
		s.leaveOut("%d of %d power cuts were judged", r.PowerLoss.Landed, r.PowerLoss.Cases)
	}
}

// recovered counts the states whose recovery came to its end.
func (s *sweep) recovered() int {
	n := 0
	for _, at := range s.nodes {
		if at.rec != nil {
			n++
		}
	}
	return n
}

// add counts a violation and lists it, beyond the bound only as the first of its class.
func (s *sweep) add(c *Column, v Violation) {
	c.Violations[v.Invariant]++
	if first := !s.classes[v.class()]; first || len(s.report.Violations) < maxViolations {
		s.classes[v.class()] = true
		s.report.Violations = append(s.report.Violations, v)
	}
}

// killFindings lists the violations of each case, then what only another way to the same state shows: an
// effect that was acknowledged on that way and is gone at the end.
func (s *sweep) killFindings() {
	c := &s.report.Kills
	told := map[*node]map[string]bool{}
	for _, e := range s.edges {
		found := s.problemsOf(e, s.ackedOn(e))
		if told[e.to] == nil {
			told[e.to] = map[string]bool{}
		}
		for _, p := range found {
			told[e.to][p.detail] = true
			s.add(c, killViolation(p, e.plan))
		}
	}
	if s.b.cfg.Crashes > 1 {
		s.otherWays(told)
	}
}

func killViolation(p problem, plan faults.Plan) Violation {
	v := Violation{Invariant: p.invariant, Plan: plan.String(), Detail: p.detail}
	if last, ok := plan.Last(); ok {
		if call, err := callOf(last.Point); err == nil {
			v.Call, v.Path = call.Name, call.Path
		}
	}
	return v
}

// ackedOn returns what was acknowledged on the first way to an edge's end.
func (s *sweep) ackedOn(e edge) []string {
	out := slices.Clone(e.acked)
	for n := e.parent; n != nil; {
		first := s.edges[n.first]
		out = append(out, first.acked...)
		n = first.parent
	}
	return out
}

// problemsOf returns what is wrong with the end of a case, one problem per invariant.
func (s *sweep) problemsOf(e edge, acked []string) []problem {
	if e.to.rec == nil {
		return nil // its recovery was interrupted
	}
	all := slices.Clone(e.to.end.problems)
	if s.judge.looksUp() && len(e.to.rec.problems) == 0 {
		for _, a := range distinct(append(acked, e.to.rec.allAcked()...)) {
			if e.to.end.effects[a] == 0 {
				all = append([]problem{{LostWrite, fmt.Sprintf("%q was acknowledged and is not on record at the end", a)}}, all...)
			}
		}
	}
	var out []problem
	for _, name := range invariants {
		if i := slices.IndexFunc(all, func(p problem) bool { return p.invariant == name }); i >= 0 {
			out = append(out, all[i])
		}
	}
	return out
}

// way is a path of kills to a state.
type way struct {
	plan  faults.Plan
	acked []string
}

// otherWays follows every effect that was acknowledged on any way to a state, not only on the first.
func (s *sweep) otherWays(told map[*node]map[string]bool) {
	reached := map[*node]map[string]way{nil: {"": {}}}
	for range s.b.cfg.Crashes {
		next := map[*node]map[string]way{}
		for _, e := range s.edges {
			for _, key := range slices.Sorted(maps.Keys(reached[e.parent])) {
				w := reached[e.parent][key]
				// The empty text carries on a way on which nothing was acknowledged yet.
				for _, a := range distinct(append(append([]string{""}, w.acked...), e.acked...)) {
					plan := e.after(w.plan)
					if next[e.to] == nil {
						next[e.to] = map[string]way{}
					}
					if _, ok := next[e.to][a]; !ok {
						next[e.to][a] = wayTo(plan, a)
					}
				}
			}
		}
		s.tellWays(next, told)
		reached = next
	}
}

func wayTo(plan faults.Plan, acked string) way {
	if acked == "" {
		return way{plan: plan}
	}
	return way{plan, []string{acked}}
}

func (s *sweep) tellWays(ways map[*node]map[string]way, told map[*node]map[string]bool) {
	for _, e := range s.edges {
		for _, a := range slices.Sorted(maps.Keys(ways[e.to])) {
			w := ways[e.to][a]
			for _, p := range s.problemsOf(e, slices.Clone(w.acked)) {
				if a != "" && p.invariant == LostWrite && !told[e.to][p.detail] {
					told[e.to][p.detail] = true
					s.add(&s.report.Kills, killViolation(p, w.plan))
				}
			}
		}
	}
}

// cutFindings counts the violations of power cuts, and lists the first of each invariant and point.
func (s *sweep) cutFindings() {
	c := &s.report.PowerLoss
	type spot struct {
		invariant string
		point     faults.Point
	}
	listed := map[spot]bool{}
	for _, e := range s.cuts {
		for _, p := range s.problemsOf(e, slices.Clone(e.acked)) {
			if k := (spot{p.invariant, e.point}); listed[k] {
				c.Violations[p.invariant]++
				continue
			} else {
				listed[k] = true
			}
			v := Violation{Invariant: p.invariant, Plan: e.cut.Cut.String(), Detail: p.detail + "; " + e.cut.detail, PowerLoss: true}
			if call, err := callOf(e.point); err == nil {
				v.Call, v.Path = call.Name, call.Path
			}
			s.add(c, v)
		}
	}
}
