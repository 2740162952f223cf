// Package tour runs what the explorer page shows: the lesson's refund in each of its cases, and the map of
// strategies against points and profiles.
//
// It imports scenarios/matrix, explorer/page, and what it names: resolver/strategy and faults/provider.
package tour

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/explorer/story"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// LessonPoints are the points of the lesson's explorer, the time-out in a living process among them.
func LessonPoints() []string {
	return []string{matrix.BeforeWrite, matrix.DuringCall, matrix.Timeout, matrix.AfterWrite}
}

// The strategies of the lesson's explorer: the executor, and the client without ids built for the example.
const (
	withID    = "operation-id"
	withoutID = "naive-retry"
)

// Lesson runs the lesson's cases. Of the request it takes the mode, the seed, the workers and the time-out.
//
// Errors: whatever keeps the harness from its work.
func Lesson(ctx context.Context, r matrix.Request) (page.Lesson, error) {
	setting := scenarios.Setting{Scenario: scenarios.Refund}.WithDefaults()
	r.Settings = nil
	for _, s := range []string{withID, withoutID} {
		one := setting
		one.Strategy = s
		r.Settings = append(r.Settings, one)
	}
	r.Points = LessonPoints()
	told := map[int]history.History{}
	r.Watch = func(first, _ int, h history.History) { told[first] = h }
	result, err := run(ctx, r)
	if err != nil {
		return page.Lesson{}, err
	}
	l := page.Lesson{Mode: r.Mode, Ticket: setting.Ticket, Variant: setting.Variant, Model: setting.Model, Repeat: setting.Repeat}
	for i, c := range result.Matrix.Cells {
		s := story.Tell(told[i])
		l.Cases = append(l.Cases, page.Case{Point: c.Point, WithID: c.Strategy == withID, Cell: c, Told: &s, Ledger: told[i].Ledger})
	}
	if want := 2 * len(r.Points); len(l.Cases) != want {
		return page.Lesson{}, fmt.Errorf("the lesson has %d cases, not %d", len(l.Cases), want)
	}
	return l, nil
}

// Map runs a matrix and keeps what is told of each case.
//
// Errors: as matrix.Run.
func Map(ctx context.Context, r matrix.Request) (page.Recorded, matrix.Result, error) {
	told := map[int]*story.Story{}
	r.Watch = func(first, last int, h history.History) {
		s := story.Tell(h)
		for i := first; i <= last; i++ {
			told[i] = &s
		}
	}
	result, err := run(ctx, r)
	if err != nil {
		return page.Recorded{}, result, err
	}
	out := page.Recorded{Matrix: result.Matrix, Glossary: Glossary(), Stories: make([]*story.Story, len(result.Matrix.Cells))}
	for i := range out.Stories {
		out.Stories[i] = told[i]
	}
	return out, result, nil
}

// run fills a matrix whole or not at all: what was filled before an interruption is no page.
func run(ctx context.Context, r matrix.Request) (matrix.Result, error) {
	result, err := matrix.Run(ctx, r)
	if err == nil {
		err = ctx.Err()
	}
	return result, err
}
