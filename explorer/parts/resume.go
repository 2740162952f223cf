package parts

import (
	"github.com/paytwice/paytwice/explorer/history"
)

// Here is the run that goes on.
type Here struct {
	Run     history.Asked
	Version string
	// Build is what history.Part says of it; nothing goes on without one.
	Build string
	Shard Shard
}

// belongs reports how a report is none of the run that goes on.
func (h Here) belongs(d Document) error {
	p := d.Part()
	if p == nil {
		return wrong(d.File, "it holds a whole run, so there is nothing to go on with")
	}
	if p.Version != h.Version {
		return wrong(d.File, "it was written by version %.160q, and this is %q", p.Version, h.Version)
	}
	if p.Build == "" || p.Build != h.Build {
		return wrong(d.File, "it was written by another build of version %.160q: what that found need not be so here", p.Version)
	}
	if s := differ(h.Run, p.Run); s != "" {
		return wrong(d.File, "it is of another run: %s", s)
	}
	if s := d.Shard(); s != h.Shard {
		return wrong(d.File, "it is shard %q, and this is shard %q", s, h.Shard)
	}
	return nil
}

// FinishedCells returns the cases of a matrix that an interrupted run had filled.
//
// Errors: *WrongError where the report is not of this run.
func FinishedCells(d Document, h Here) ([]Piece[history.Cell], error) {
	if d.Matrix == nil {
		return nil, wrong(d.File, "it is no matrix")
	}
	if err := h.belongs(d); err != nil {
		return nil, err
	}
	pieces, err := split(d.Matrix.Cells, d.Matrix.Part)
	return finished(pieces), err
}

// FinishedRuns returns the searches that an interrupted run had made.
//
// Errors: *WrongError where the report is not of this run.
func FinishedRuns(d Document, h Here) ([]Piece[history.Exploration], error) {
	if d.Explorations == nil {
		return nil, wrong(d.File, "it is a matrix, and no search")
	}
	if err := h.belongs(d); err != nil {
		return nil, err
	}
	pieces, err := split(d.Explorations.Runs, d.Explorations.Part)
	return finished(pieces), err
}
