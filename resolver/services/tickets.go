package services

import (
	"context"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// AddNote implements [resolver.Tickets]. Notes are named by their callers on every profile, so a repeat
// never writes a second one.
func (d desk) AddNote(ctx context.Context, ticketID, noteID, text string) error {
	knobs := provider.KnobsFrom(ctx)
	var struck *strike
	err := d.world.store.update(ctx, func(t tables) (err error) {
		if struck, err = d.strike(t, string(resolver.AddNote)); err != nil {
			return err
		}
		if struck != nil {
			knobs.Trouble = struck.trouble
		}
		switch knobs.Trouble {
		case provider.LoseBefore, provider.UnavailableBefore, provider.ErrorBefore, provider.Refuse:
			return nil
		}
		return t.addNote(Note{RecordID: resolver.RecordID(resolver.AddNote, noteID), TicketID: ticketID, ID: noteID, Text: text})
	})
	if err != nil {
		return err
	}
	return struck.wrap(answerError(noteAnswer(knobs.Trouble)))
}

func noteAnswer(t provider.Trouble) provider.Answer {
	switch t {
	case provider.LoseBefore, provider.LoseAfter:
		return provider.Answer{}
	case provider.UnavailableBefore, provider.UnavailableAfter:
		return provider.Answer{Status: 503}
	case provider.ErrorBefore, provider.ErrorAfter:
		return provider.Answer{Status: 500}
	case provider.Refuse:
		return provider.Answer{Status: 422, Code: "refused", Message: "the service refused add_note"}
	}
	return provider.Answer{Status: 200}
}
