package resolver

import (
	"fmt"
	"slices"
)

// Status is where a run stands.
type Status string

// The statuses of a run. The last three are final: a run never leaves them.
const (
	Running         Status = "running"
	WaitingApproval Status = "waiting_approval"
	Executing       Status = "executing"
	Done            Status = "done"
	HandedToPerson  Status = "handed_to_person"
	Stopped         Status = "stopped"
)

// moves is the one table of legal moves. A status that is missing or maps to nothing is final.
//
// Source: lesson "Checkpoint and resume", the states of a run.
var moves = map[Status][]Status{
	Running:         {WaitingApproval, Done, HandedToPerson, Stopped},
	WaitingApproval: {Executing, HandedToPerson},
	Executing:       {Done, HandedToPerson},
	Done:            {},
	HandedToPerson:  {},
	Stopped:         {},
}

// Final reports whether nothing ever leaves this status.
func (s Status) Final() bool { return len(moves[s]) == 0 }

// Known reports whether s is a status of the table.
func (s Status) Known() bool { _, ok := moves[s]; return ok }

// MoveTo changes the run's status. An illegal move returns ErrIllegalMove and changes nothing.
func (s *TaskState) MoveTo(next Status) error {
	if !slices.Contains(moves[s.Status], next) {
		return fmt.Errorf("run %s: %s to %s: %w", s.RunID, s.Status, next, ErrIllegalMove)
	}
	s.Status = next
	return nil
}
