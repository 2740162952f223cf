package matrix

import (
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/parts"
	"github.com/paytwice/paytwice/scenarios"
)

// had are the cases that an earlier run of the same matrix filled, by setting and plan.
type had map[int]map[int]parts.Piece[history.Cell]

// haveOf takes the cases whose cells are of the setting that they say.
func haveOf(r Request) had {
	h := had{}
	for _, p := range r.Have {
		if p.Setting >= len(r.Settings) || !allOf(p.Items, r.Settings[p.Setting].WithDefaults()) {
			continue
		}
		if h[p.Setting] == nil {
			h[p.Setting] = map[int]parts.Piece[history.Cell]{}
		}
		h[p.Setting][p.Plan] = p
	}
	return h
}

func allOf(cells []history.Cell, s scenarios.Setting) bool {
	for _, c := range cells {
		if c.Ticket != s.Ticket || c.Strategy != s.Strategy || c.Provider != s.Provider {
			return false
		}
	}
	return true
}

// whole reports whether every case of a setting is there, so that it need not be opened.
func (h had) whole(setting int) bool {
	for _, p := range h[setting] {
		return len(h[setting]) == max(p.Plans, 1)
	}
	return false
}

// jobs returns the cases of a whole setting.
func (h had) jobs(setting int) []*job {
	if !h.whole(setting) {
		return nil
	}
	var out []*job
	for n := range len(h[setting]) {
		p := h[setting][n]
		out = append(out, &job{Case: p.Case, cells: p.Items, done: true})
	}
	return out
}

// fills reports whether a cell that is there already is of a point.
func (h had) fills(point string) bool {
	for _, plans := range h {
		for _, p := range plans {
			for _, c := range p.Items {
				if c.Point == point || point == All {
					return true
				}
			}
		}
	}
	return false
}
