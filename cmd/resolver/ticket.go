package main

import (
	"errors"

	"github.com/paytwice/paytwice/cmd/resolver/internal/course"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

var errUnknownTicket = errors.New("unknown ticket")

// knownTicket returns a ticket of the course.
//
// Errors: one that wraps errUnknownTicket and names the nearest ticket.
func knownTicket(c *course.Course, id string) (larkfield.Task, error) {
	task, found, err := c.Task(id)
	if err != nil || found {
		return task, err
	}
	tasks, err := c.Tasks()
	if err != nil {
		return task, err
	}
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	return task, unknown(errUnknownTicket, id, ids, "resolver tasks lists the tickets")
}
