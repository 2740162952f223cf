package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
)

// The lesson's names of points.
const (
	BeforeWrite = "before-write"
	DuringCall  = "during-call"
	Timeout     = "timeout"
	AfterWrite  = "after-write"
	MidLoop     = "mid-loop"
	All         = "all"
)

// LessonPoints returns the lesson's names, in the order of every table.
func LessonPoints() []string { return []string{BeforeWrite, DuringCall, Timeout, AfterWrite, MidLoop} }

// stroke is one plan of a point, and the actions that get a cell from it.
type stroke struct {
	point   string
	plan    faults.Plan
	actions []int
}

// base is the undisturbed run of a setting: what there is to strike.
type base struct {
	points  []faults.Point
	actions []action
}

// action is one approved change with the call that makes it.
type action struct {
	history.Intent
	write faults.Point
}

// baseOf reads an undisturbed history.
func baseOf(h history.History, intents []history.Intent) base {
	b := base{}
	for _, i := range intents {
		b.actions = append(b.actions, action{Intent: i})
	}
	for _, life := range h.Lives {
		for _, e := range life.Events {
			pos, _ := faults.ParsePosition(e.Position)
			p := faults.Point{Site: faults.Site{Seam: e.Seam, Operation: e.Operation}, Position: pos, N: e.Call}
			b.points = append(b.points, p)
			if e.Request == nil || !e.Request.Write || pos != faults.Before {
				continue
			}
			for n := range b.actions {
				if b.actions[n].ID == e.Request.Intent && b.actions[n].write.N == 0 {
					b.actions[n].write = p
				}
			}
		}
	}
	return b
}

// strokes returns the plans of a point's name, none when the undisturbed run does not pass it.
//
// Errors: *scenarios.UnknownError for a name that no run passes and that is no point's form.
func (b base) strokes(name string) ([]stroke, error) {
	switch name {
	case BeforeWrite:
		return b.atWrites(name, faults.Kill, faults.Before), nil
	case DuringCall:
		return b.atWrites(name, faults.Kill, faults.During), nil
	case Timeout:
		return b.atWrites(name, faults.LoseResponse, faults.During), nil
	case AfterWrite:
		return b.atWrites(name, faults.Kill, faults.After), nil
	case MidLoop:
		return b.where(name, func(p faults.Point) bool {
			return p.Seam == "agent" && p.Operation == "step" && p.Position == faults.After
		}), nil
	case All:
		var out []stroke
		for _, p := range b.points {
			out = append(out, b.at(p.String(), p))
		}
		return out, nil
	}
	p, err := faults.ParsePoint(name)
	if err != nil {
		return nil, b.unknown(name)
	}
	return b.where(name, func(q faults.Point) bool { return p == q }), nil
}

func (b base) unknown(name string) error {
	known := LessonPoints()
	for _, p := range b.points {
		known = append(known, p.String())
	}
	return &scenarios.UnknownError{Kind: "point", Name: name, Nearest: faults.Nearest(name, known), Known: known}
}

// atWrites strikes each action at its own write.
func (b base) atWrites(name string, verb faults.Verb, pos faults.Position) []stroke {
	var out []stroke
	for n, a := range b.actions {
		if a.write.N == 0 {
			continue
		}
		p := a.write
		p.Position = pos
		out = append(out, stroke{name, faults.Plan{{{Verb: verb, Point: p}}}, []int{n}})
	}
	return out
}

// where strikes once at each point that matches; every action gets a cell.
func (b base) where(name string, match func(faults.Point) bool) []stroke {
	var out []stroke
	for _, p := range b.points {
		if match(p) {
			out = append(out, b.at(name, p))
		}
	}
	return out
}

func (b base) at(name string, p faults.Point) stroke {
	s := stroke{point: name, plan: faults.Plan{{faults.KillAt(p)}}}
	for n := range b.actions {
		s.actions = append(s.actions, n)
	}
	return s
}

// CheckPoint reports a name that can't be a point of the refund scenario, whatever the run does.
func CheckPoint(name string) error {
	if name == All || slices.Contains(LessonPoints(), name) {
		return nil
	}
	p, err := faults.ParsePoint(name)
	if err != nil {
		known := append(LessonPoints(), All)
		if near := faults.Nearest(name, known); near != "" || !strings.ContainsAny(name, "./#") {
			return &scenarios.UnknownError{Kind: "point", Name: name, Nearest: near, Known: known}
		}
		return fmt.Errorf("unknown point: %w", err)
	}
	return scenarios.RefundScenario().CheckPlan(faults.Plan{{faults.KillAt(p)}})
}
