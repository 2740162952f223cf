package check

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// unapproved-write: no write without an approval on record that covers it, and each approval used once.
//
// The approval must have been saved, and answered, before the write leaves. Where a program carries out an approval
// in order, it covers no action after one that is on record as not made. Not checked: who approved.
func newUnapproved(s Settings) Monitor {
	return &unapproved{inOrder: s.InOrder, covered: newTable[string, bool](strings.Compare), given: newTable[string, string](strings.Compare)}
}

type unapproved struct {
	inOrder bool
	covered table[string, bool]   // intents with an approval on record; false once an earlier one was not made
	given   table[string, string] // approval, by run
	broken  string
}

func (m *unapproved) sees(e *history.Event) bool {
	return isRecord(e) && e.Saved.Approval != "" && m.given.get(e.Saved.Run) != e.Saved.Approval || isCall(e) ||
		m.inOrder && isRecord(e) && m.barred(e.Saved) != ""
}

// barred returns the first action that an approval does not cover any more, because one before it was not made.
func (m *unapproved) barred(s *history.Saved) string {
	given := false
	for _, i := range s.Approved {
		if given && m.covered.get(i.ID) {
			return i.ID
		}
		op := operationOf(*s, i.ID)
		given = given || op != nil && (op.Status == history.OperationFailed || op.Status == history.OperationUnknown)
	}
	return ""
}

func (m *unapproved) See(e *history.Event) {
	if m.broken != "" {
		return
	}
	if s := e.Saved; s != nil && e.Position == "after" && e.Answer == history.Answered && s.Approval != "" {
		if m.given.has(s.Run) && m.given.get(s.Run) != s.Approval {
			m.broken = fmt.Sprintf("run %s was approved twice", s.Run)
		}
		// What an approval covers is what was there when it was given: a proposal that changes later
		// changes nothing about it.
		if m.given.get(s.Run) == "" {
			for _, i := range s.Approved {
				m.covered.set(i.ID, true)
			}
		}
		m.given.set(s.Run, s.Approval)
		for i := m.barred(s); m.inOrder && i != ""; i = m.barred(s) {
			m.covered.set(i, false)
		}
	}
	if r := e.Request; r != nil && r.Write && e.Position == "before" && r.Intent != "" && r.Undoes == "" && !m.covered.get(r.Intent) {
		m.broken = fmt.Sprintf("%s was sent, and no approval covers it", r.What)
		if m.covered.has(r.Intent) {
			m.broken = fmt.Sprintf("%s was sent, and an action before it was not made", r.What)
		}
	}
}

func (m *unapproved) Copy() Monitor {
	c := *m
	return &c
}

func (m *unapproved) Key() string {
	return m.broken + "|" + m.covered.key() + "|" + m.given.key()
}

func (m *unapproved) Judge(o *Outcome) []history.Violation {
	return one("unapproved-write", m.broken)
}
