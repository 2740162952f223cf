package check

import (
	"fmt"

	"github.com/paytwice/paytwice/explorer/history"
)

// foreign-undo: nobody undoes an effect that another execution owns.
//
// An undo is a write whose request says which intent it takes back; it is foreign when that is not the
// one that the program owns. Not checked: undoing one's own effect needlessly.
func newForeignUndo(Settings) Monitor { return &foreignUndo{} }

type foreignUndo struct{ broken string }

func (m *foreignUndo) sees(e *history.Event) bool { return e.Request != nil && e.Request.Undoes != "" }

func (m *foreignUndo) See(e *history.Event) {
	if r := e.Request; r != nil && r.Undoes != "" && e.Position == "before" && m.broken == "" && r.Undoes != r.Owner {
		m.broken = fmt.Sprintf("%s undoes an effect of %s", r.What, r.Undoes)
	}
}

func (m *foreignUndo) Copy() Monitor {
	c := *m
	return &c
}

func (m *foreignUndo) Key() string { return m.broken }

func (m *foreignUndo) Judge(*Outcome) []history.Violation { return one("foreign-undo", m.broken) }
