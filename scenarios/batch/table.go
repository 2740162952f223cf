package batch

import (
	"context"
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Row is one line of the crash table: where the kill falls in one order, what the progress file says of
// the order afterwards, what the next life does with it, and how often the order was charged in the end.
type Row struct {
	Falls   string
	Plan    string
	Record  Record
	Resumed Resumed
	Charges int
}

// Record is what the progress file says of an order.
type Record string

// What the progress file can say.
const (
	Nothing  Record = "nothing"
	Begun    Record = "begun"
	Finished Record = "finished"
)

// Resumed is what the life after the kill does with the order.
type Resumed string

// What a life can do with an order.
const (
	RunIt   Resumed = "run it"
	Retry   Resumed = "retry"
	Repeats Resumed = "retry, and the effect repeats"
	KeySays Resumed = "retry, and the key stops the second charge"
	Skip    Resumed = "skip"
)

// tableOrder is the order in which the kills of the table fall.
const tableOrder = "C3"

// places are the four places of the lesson's table, with the kill that falls there in the third order.
func places() [][2]string {
	return [][2]string{
		{"before the start of the step", "kill progress.save/before#5"},
		{"in the step, before its effect", "kill log.charge/before#3"},
		{"after its effect, before the finish", "kill log.charge/after#3"},
		{"after the finish", "kill progress.save/after#6"},
	}
}

// Table runs the four kills of the lesson's crash table in a world of a form with a progress file, and
// returns what was seen, in the table's order.
//
// Errors: those of explorer.Replay.
func Table(ctx context.Context, w explorer.World) ([]Row, error) {
	var rows []Row
	for _, place := range places() {
		plan, err := faults.Parse(place[1])
		if err != nil {
			return nil, err
		}
		r, err := explorer.Replay(ctx, w, plan, explorer.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place[0], err)
		}
		row := Row{Falls: place[0], Plan: place[1]}
		for _, id := range Charges(r.End) {
			if id == tableOrder {
				row.Charges++
			}
		}
		row.Record, row.Resumed = resumed(r.History.Lives)
		rows = append(rows, row)
	}
	return rows, nil
}

// resumed reads from the events what the second life found on record of the order and did with it.
func resumed(lives []history.Life) (Record, Resumed) {
	record, asked, charged := Nothing, false, false
	for _, e := range lives[1].Events {
		if e.Loaded != nil {
			record = recordOf(e.Loaded)
		}
		if e.Request != nil && e.Request.Intent == tableOrder && e.Position == faults.After.String() {
			charged = charged || e.Request.Write
			asked = asked || e.Answer == history.Found
		}
	}
	before := slices.ContainsFunc(lives[0].Events, func(e history.Event) bool {
		return e.Request != nil && e.Request.Write && e.Request.Intent == tableOrder && e.Answer == history.Applied
	})
	switch {
	case charged && before:
		return record, Repeats
	case charged && record == Nothing:
		return record, RunIt
	case charged:
		return record, Retry
	case asked:
		return record, KeySays
	}
	return record, Skip
}

func recordOf(s *history.Saved) Record {
	for _, op := range s.Operations {
		if op.ID != tableOrder {
			continue
		}
		if op.Status == history.OperationDone {
			return Finished
		}
		return Begun
	}
	return Nothing
}
