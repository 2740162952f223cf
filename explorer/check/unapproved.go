package check

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// unapproved-write: no write without an approval on record that covers it, and each approval used once.
//
// The approval must have been saved, and answered, before the write leaves. Where a program carries out an approval
// in order, it covers no action before those ahead of it are on record as made. Not checked: who approved.
func newUnapproved(s Settings) Monitor {
	return &unapproved{oneByOne: s.OneByOne, covered: newTable[string, bool](strings.Compare), given: newTable[string, string](strings.Compare)}
}

type unapproved struct {
	oneByOne bool
	covered  table[string, bool]   // intents with an approval on record; false while one before it is not made
	given    table[string, string] // approval, by run
	broken   string
}

func (m *unapproved) sees(e *history.Event) bool {
	return isCall(e) || isRecord(e) && e.Saved.Approval != "" &&
		(m.given.get(e.Saved.Run) != e.Saved.Approval || m.oneByOne && m.turned(e.Saved))
}

// turned reports whether a record changes which of its actions may be sent.
func (m *unapproved) turned(s *history.Saved) bool {
	turn := true
	for i := range s.Approved {
		id := s.Approved[i].ID
		if may, known := m.covered.look(id); known && may != turn {
			return true
		}
		turn = turn && made(s, id)
	}
	return false
}

// made reports whether an intent is on record as done.
func made(s *history.Saved, intent string) bool {
	op := operationOf(*s, intent)
	return op != nil && op.Status == history.OperationDone
}

func (m *unapproved) See(e *history.Event) {
	if m.broken != "" {
		return
	}
	if s := e.Saved; isRecord(e) && s.Approval != "" {
		m.approved(s)
	}
	if r := e.Request; r != nil && r.Write && e.Position == "before" && r.Intent != "" && r.Undoes == "" && !m.covered.get(r.Intent) {
		m.broken = fmt.Sprintf("%s was sent, and no approval covers it", r.What)
		if m.covered.has(r.Intent) {
			m.broken = fmt.Sprintf("%s was sent, and an action before it is not on record as made", r.What)
		}
	}
}

// approved takes a record with an approval. What that covers is what was there when it was given: a proposal that
// changes later changes nothing about it.
func (m *unapproved) approved(s *history.Saved) {
	if m.given.has(s.Run) && m.given.get(s.Run) != s.Approval {
		m.broken = fmt.Sprintf("run %s was approved twice", s.Run)
	}
	first, turn := m.given.get(s.Run) == "", true
	for i := range s.Approved {
		id := s.Approved[i].ID
		if first || m.oneByOne && m.covered.has(id) {
			m.covered.set(id, turn)
		}
		turn = turn && (!m.oneByOne || made(s, id))
	}
	m.given.set(s.Run, s.Approval)
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
