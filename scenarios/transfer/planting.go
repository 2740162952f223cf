package transfer

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/scenarios"
)

// Planting is the mended program with a piece swapped for a broken one; a nil piece is the program's own.
type Planting struct {
	// HandOver ends a run with a person, out of the two things that this takes.
	HandOver func(ctx context.Context, alert, save func(context.Context) error) error
	// Propose asks the precondition before there is an approval, Again just before the call.
	Propose, Again Asks
	// Found says how a transfer that the bank says was made differs from what was approved; own is what the
	// check says.
	Found func(own string) string
	// Reverse has the bank take the transfer back; ask is the program's own way.
	Reverse func(ctx context.Context, ask func(context.Context) error) error
	// Bank is put around the world outside, which keeps the texts.
	Bank func(scenarios.Service, scenarios.Texts) scenarios.Service
}

// Asks returns why the precondition does not hold, empty if it does; ask is the program's own way.
type Asks func(ctx context.Context, ask func(context.Context) (string, error)) (string, error)

// swappedBank keeps a record of refusals as the program's own bank does.
type swappedBank struct {
	scenarios.Service
	scenarios.Refuser
}

// Planted returns a form of the program, by its name, with a piece swapped. Its children are started under
// the name of a task, and PlantedChild is their main.
func Planted(form, task string, p Planting) (*scenarios.Small, error) {
	for _, n := range forms() {
		if n.name == form {
			n.form.planted = p
			small := n.program()
			small.Task = task
			return small, nil
		}
	}
	return nil, &scenarios.UnknownError{Kind: "form", Name: form}
}

// PlantedChild is the main of a child process of Planted.
func PlantedChild(ctx context.Context, at *child.Seat, form string, p Planting) (history.End, error) {
	small, err := Planted(form, "", p)
	if err != nil {
		return history.Failed, fmt.Errorf("planted: %w", err)
	}
	return scenarios.LiveSmall(ctx, at, small)
}
