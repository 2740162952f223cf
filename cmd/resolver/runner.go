package main

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/resolver/strategy"
)

// runner returns what drives one run of a ticket: the loop over the recordings, the executor that keeps the
// operation id, and the practice services with the ticket's own faults and those that were asked for. The
// services record which faults were used, so a later process of the run doesn't suffer them again.
func (w *workspace) runner(runID, ticketID string, asked []services.Fault) (*resolver.Runner, error) {
	task, _, err := w.course.Task(ticketID)
	if err != nil {
		return nil, err
	}
	holder, err := checkpoint.ThisProcess()
	if err != nil {
		return nil, fmt.Errorf("this process can't be named: %w", err)
	}
	world := w.world.Services(services.Caller{TicketID: ticketID, RunID: runID, Faults: faultsOf(task, asked)})
	return &resolver.Runner{
		Executor: resolver.Executor{
			Store: w.store, Services: world, Clock: w.clock, Strategy: strategy.OperationID(), Alert: w.alert,
		},
		Loop:   &agent.Loop{Model: w.course.Model(), Services: world},
		Holder: holder,
		Tickets: func(id string) (resolver.Ticket, error) {
			task, err := knownTicket(w.course, id)
			return task.Ticket, err
		},
	}, nil
}

// alert tells a person of a known-bad state.
func (w *workspace) alert(_ context.Context, text string) error {
	_, err := fmt.Fprintf(w.errOut, "ALERT: %s\n", agent.Clean(text))
	return err
}

// faultsOf joins the ticket's own faults with those asked for. One that is named twice strikes as often as
// both say.
func faultsOf(task larkfield.Task, asked []services.Fault) []services.Fault {
	var faults []services.Fault
	add := func(f services.Fault) {
		for i := range faults {
			if faults[i].Name() == f.Name() {
				faults[i].Times = min(faults[i].Times+f.Times, services.MaxFaultTimes)
				return
			}
		}
		faults = append(faults, f)
	}
	for _, f := range task.Faults {
		add(services.Fault{Tool: f.Tool, Mode: services.Mode(f.Mode), Times: f.Times})
	}
	for _, f := range asked {
		add(f)
	}
	return faults
}
