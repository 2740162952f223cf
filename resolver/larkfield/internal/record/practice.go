package main

import (
	"time"

	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
)

// practice returns the practice services in memory, just reset: the same that the product uses, because a
// recording holds their answers.
func practice(now func() time.Time) *services.Memory {
	return services.NewMemory(services.Config{Data: larkfield.Dataset(), Policy: larkfield.Policy(), Now: now})
}

// caller returns a ticket's run, with the ticket's own faults.
func caller(task larkfield.Task, runID string) services.Caller {
	c := services.Caller{TicketID: task.ID, RunID: runID}
	for _, f := range task.Faults {
		c.Faults = append(c.Faults, services.Fault{Tool: f.Tool, Mode: services.Mode(f.Mode), Times: f.Times})
	}
	return c
}
