package field

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// Errors of the store.
var (
	// errNoAnswer is returned when nobody knows whether a statement ran.
	errNoAnswer = errors.New("no answer")
	// errDuplicate is returned when a row of that name is there already.
	errDuplicate = errors.New("duplicate key")
	// errMissing is returned when a row to change is not there.
	errMissing = errors.New("no such row")
	// errConflict is returned when a condition of a statement does not hold.
	errConflict = errors.New("conflict")
)

// jobs is the table of what the program was told to do.
const jobs = "job"

// States of rows, as the judge knows them; a program may use others for tables of its own.
const (
	executing = "executing"
	stopped   = "stopped"
	pending   = history.OperationPending
	done      = history.OperationDone
	failed    = history.OperationFailed
	unknown   = history.OperationUnknown
	person    = check.StatusPerson
)

// row is one row of the program's own store. Every table has the same columns and uses what it needs.
type row struct {
	Table, ID string
	// Run and Intent say what it is about.
	Run, Intent string
	State       string
	Key         string
	Body        change
	Record      string
	Owner       string
	Count       int
	At          time.Time
}

// find reads one row.
func (p *proc) find(table, id string) (row, bool, error) {
	var out row
	found := false
	r := p.through(call{site: rowSite("read"), remote: p.remote, what: "read " + table + " " + id, do: func(provider.Knobs) result {
		if i := p.at(table, id); i >= 0 {
			out, found = p.rows[i], true
		}
		return result{answer: history.Answered}
	}})
	if r.err != nil {
		return row{}, false, r.err
	}
	return out, found, nil
}

// scan reads a table, in the order in which its rows were inserted.
func (p *proc) scan(table string) ([]row, error) {
	var out []row
	r := p.through(call{site: rowSite("read"), remote: p.remote, what: "scan " + table, do: func(provider.Knobs) result {
		out = p.table(table)
		return result{answer: history.Answered}
	}})
	if r.err != nil {
		return nil, r.err
	}
	return out, nil
}

// insert adds a row; one without a name gets the next free number of the store.
func (p *proc) insert(r row) (row, error) {
	var out row
	err := p.write("insert", r.Run, "insert "+r.Table+" "+r.ID, func(w *world) (err error) {
		out, err = w.insert(r)
		return err
	})
	return out, err
}

// update replaces a row.
func (p *proc) update(r row) error {
	return p.write("update", r.Run, fmt.Sprintf("update %s %s %s", r.Table, r.ID, r.State), func(w *world) error { return w.update(r) })
}

// remove deletes a row.
func (p *proc) remove(r row) error {
	return p.write("delete", r.Run, "delete "+r.Table+" "+r.ID, func(w *world) error { return w.remove(r) })
}

// commit runs several statements as one transaction: all of them, or none if it returns an error.
func (p *proc) commit(run, what string, statements func(*world) error) error {
	return p.write("commit", run, what, statements)
}

func (p *proc) write(operation, run, what string, statements func(*world) error) error {
	return p.transaction(rowSite(operation), p.remote, run, what, statements)
}

// transaction is a commit on a seam of its own.
func (p *proc) transaction(site faults.Site, remote bool, run, what string, statements func(*world) error) error {
	return p.through(call{site: site, remote: remote, what: what, do: func(provider.Knobs) result {
		before := p.world
		if err := statements(&p.world); err != nil {
			p.world = before
			return result{answer: history.Refused, err: err}
		}
		r := result{answer: history.Answered}
		if run != "" {
			r.saved = p.saved(p.report, run)
		}
		return r
	}}).err
}

// take marks a job as under way, and reports whether there is still something to do.
func (p *proc) take(run string) (job row, open bool, err error) {
	err = p.write("update", run, "take "+jobs+" "+run, func(w *world) error {
		job = w.rows[w.at(jobs, run)]
		if open = job.State != done && job.State != person && job.State != stopped; open {
			job.State = executing
		}
		return w.update(job)
	})
	return job, open, err
}

// end closes a job: done, with a person, or given up.
func (p *proc) end(run, state string) (history.End, error) {
	err := p.write("update", run, "job "+run+" is "+state, func(w *world) error {
		job := w.rows[w.at(jobs, run)]
		job.State = state
		return w.update(job)
	})
	if err != nil {
		return history.Failed, err
	}
	return endOf(state), nil
}

// endOf is how a life ends whose job is in a final state.
func endOf(state string) history.End {
	if state == person {
		return history.Person
	}
	return history.Done
}

func rowSite(operation string) faults.Site { return faults.Site{Seam: "row", Operation: operation} }

func (w *world) at(table, id string) int {
	return slices.IndexFunc(w.rows, func(r row) bool { return r.Table == table && r.ID == id })
}

func (w *world) table(name string) []row {
	var out []row
	for _, r := range w.rows {
		if r.Table == name {
			out = append(out, r)
		}
	}
	return out
}

func (w *world) insert(r row) (row, error) {
	if r.ID == "" {
		w.issued++
		r.ID = fmt.Sprintf("%s-%d", r.Table, w.issued)
	}
	if w.at(r.Table, r.ID) >= 0 {
		return row{}, fmt.Errorf("%w: %s %s", errDuplicate, r.Table, r.ID)
	}
	w.rows = append(slices.Clip(w.rows), r)
	return r, nil
}

func (w *world) update(r row) error {
	i := w.at(r.Table, r.ID)
	if i < 0 {
		return fmt.Errorf("%w: %s %s", errMissing, r.Table, r.ID)
	}
	w.rows = slices.Clone(w.rows)
	w.rows[i] = r
	return nil
}

func (w *world) remove(r row) error {
	i := w.at(r.Table, r.ID)
	if i < 0 {
		return fmt.Errorf("%w: %s %s", errMissing, r.Table, r.ID)
	}
	w.rows = slices.Delete(slices.Clone(w.rows), i, i+1)
	return nil
}
