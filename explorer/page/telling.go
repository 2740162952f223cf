package page

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/story"
)

// row is one line of a story, its texts by their index in the pool.
type row struct {
	Part     int        `json:"p"`
	What     int        `json:"w"`
	Kind     story.Kind `json:"k,omitempty"`
	Lane     story.Lane `json:"l"`
	Life     int        `json:"n"`
	Stop     bool       `json:"s,omitempty"`
	Detail   bool       `json:"d,omitempty"`
	Answered bool       `json:"a,omitempty"`
}

// telling is a story by the index of its rows: those of many plans begin alike.
type telling struct {
	Why       int        `json:"why"`
	Rows      []int      `json:"rows"`
	Registers []register `json:"registers"`
}

// register is both registers at the end of one life.
type register struct {
	Title  int   `json:"title"`
	Status int   `json:"status"`
	Record []int `json:"record"`
	Ledger []int `json:"ledger"`
}

// telling returns the index of a telling, -1 for none.
func (d *data) telling(s *story.Story) int {
	if s == nil {
		return -1
	}
	out := telling{Why: d.text(s.Why), Rows: []int{}, Registers: []register{}}
	for _, r := range s.Rows {
		out.Rows = append(out.Rows, d.row(r))
	}
	for _, r := range s.Registers {
		out.Registers = append(out.Registers, d.register(r))
	}
	key, _ := json.Marshal(out) // ints and texts only: it can't fail
	i, ok := d.tellings[string(key)]
	if !ok {
		i = len(d.Tellings)
		d.tellings[string(key)] = i
		d.Tellings = append(d.Tellings, out)
	}
	return i
}

func (d *data) row(r story.Row) int {
	stop := r.Part == story.Stop
	one := row{d.word("part", string(r.Part)), d.text(r.What), r.Kind, r.Lane, r.Life, stop, r.Detail, r.Answered}
	i, ok := d.rows[one]
	if !ok {
		i = len(d.Rows)
		d.rows[one] = i
		d.Rows = append(d.Rows, one)
	}
	return i
}

func (d *data) register(r story.Register) register {
	title := "register.end"
	if r.Killed {
		title = "register.kill"
	}
	out := register{Title: d.ui(title, r.Life), Status: d.ui("register.none"), Record: []int{}, Ledger: []int{}}
	if r.Status != "" {
		out.Status = d.text(story.RunStatus(r.Status))
	}
	for _, op := range r.Operations {
		out.Record = append(out.Record, d.ui("register.operation", op.ID, story.OperationStatus(op.Status), op.Attempts))
	}
	for _, e := range r.Ledger {
		out.Ledger = append(out.Ledger, d.effect(e))
	}
	return out
}

// effect is one entry of the ledger in a line.
func (d *data) effect(e history.Effect) int {
	what := e.Payload
	if what == "" {
		what = e.Tool + " " + e.Subject
	}
	key := "ledger.entry"
	if e.Reversed {
		key = "ledger.reversed"
	}
	return d.ui(key, e.RecordID, what, e.OperationID)
}

// history shows one history by its story.
func (d *data) history(h history.History) {
	d.Report.Title = d.ui("history.title")
	d.Report.Lead = d.name(h.Plan)
	for _, f := range []struct{ key, value string }{{"scenario", h.Scenario}, {"strategy", h.Strategy}, {"provider", h.Provider}} {
		if f.value != "" {
			d.fact(f.key, f.value, "")
		}
	}
	d.fact("lives", len(h.Lives), "")
	d.fact("effects", len(h.Ledger), "")
	if moved := amounts(h.Ledger); len(moved) > 0 {
		d.Report.Facts = append(d.Report.Facts, fact{Label: d.ui("amount"), Value: d.joined(moved)})
	}
	d.Report.Facts = append(d.Report.Facts, fact{d.ui("verdict"), d.verdict(h.Verdict, h.Violations), verdictMark(h.Verdict)})
	d.leftOut(h.LeftOut, "")
	for _, v := range h.Broken {
		d.note(d.name(v.Invariant + ": " + v.Detail))
	}
	told := story.Tell(h)
	d.Report.Telling, d.Report.Mark = d.telling(&told), verdictMark(h.Verdict)
}

// amounts sums the money of a ledger that was not taken back, currency by currency.
func amounts(ledger []history.Effect) []story.Text {
	sums := map[string]int64{}
	for _, e := range ledger {
		if e.AmountCents != 0 && !e.Reversed {
			sums[e.Currency] += e.AmountCents
		}
	}
	var out []story.Text
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		out = append(out, story.Money(sums[currency], currency))
	}
	return out
}

func verdictMark(v history.Verdict) mark {
	switch v {
	case history.Violated:
		return broken
	case history.Pass:
		return safe
	default:
		return open
	}
}
