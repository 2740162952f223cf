package main

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
	"github.com/paytwice/paytwice/scenarios"
)

// search is one search of a run.
type search struct {
	*searcher
	scenario scenarios.Scenario
	setting  scenarios.Setting
	mode     string
	crashes  int
}

// searches is the list of a run's searches, made in order.
type searches struct {
	list []search
	// shard is the part to make; had are the searches that were made before.
	shard parts.Shard
	had   []parts.Piece[history.Exploration]
}

// made is what became of a list of searches.
type made struct {
	runs  []history.Exploration
	cases []history.Case
	// leftOut says what an interruption kept from being made.
	leftOut string
}

// run makes the searches. A context that ends is no error: the last search says how far it came.
func (s searches) run(ctx context.Context, progress *progress) (made, error) {
	before := map[int]parts.Piece[history.Exploration]{}
	for _, p := range s.had {
		before[p.Setting] = p
	}
	m := made{runs: []history.Exploration{}, cases: []history.Case{}}
	mine, done := s.mine(), 0
	for n, i := range mine {
		old, ok := before[i]
		e, unfinished := history.Exploration{}, false
		switch {
		case ok && s.list[i].is(old.Items):
			e = old.Items[0]
		case ctx.Err() != nil:
			continue
		default:
			said := progress
			if len(mine) > 1 {
				said = progress.within(n, len(mine))
			}
			var err error
			e, err = s.list[i].explore(ctx, said)
			if err != nil && ctx.Err() != nil {
				continue
			}
			if err != nil {
				return m, err
			}
			unfinished = ctx.Err() != nil && !e.Complete
		}
		m.runs = append(m.runs, e)
		m.cases = append(m.cases, history.Case{Setting: i, Plans: 1, Items: 1, Unfinished: unfinished})
		if !unfinished {
			done++
		}
	}
	if done < len(mine) {
		m.leftOut = fmt.Sprintf("the run was interrupted: %d of %d searches were not finished", len(mine)-done, len(mine))
	}
	return m, nil
}

// mine returns the numbers of the shard's searches.
func (s searches) mine() []int {
	var out []int
	for i := range s.list {
		if s.shard.Has(i) {
			out = append(out, i)
		}
	}
	return out
}

// is reports whether what was found before is of this search.
func (s search) is(runs []history.Exploration) bool {
	if len(runs) != 1 {
		return false
	}
	e := runs[0]
	return e.Scenario == s.scenario.Name && e.Ticket == s.setting.Ticket && e.Strategy == s.setting.Strategy && e.Provider == s.setting.Provider &&
		e.Mode == s.mode && e.Crashes == s.crashes
}
