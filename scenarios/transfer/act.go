package transfer

import (
	"context"
	"fmt"
)

// Action is one consequential action with the check that follows it and the way back.
type Action interface {
	// Do asks the target for the change. Its answer, however good, is no proof.
	Do(ctx context.Context) error
	// Verify reads from the target itself what is there now, and returns how it differs from what was
	// asked for, empty if it does not.
	Verify(ctx context.Context) (difference string, err error)
	// Undo takes the change back.
	Undo(ctx context.Context) error
}

// Acted is how an action ended.
type Acted struct {
	// Verified: what was asked for is there. Otherwise Difference says what is, UndoneError why it could
	// not be taken back, nil if it was.
	Verified    bool
	Difference  string
	UndoneError error
}

// Act does an action and checks it; what differs is taken back, and a person is alerted, also when that
// failed.
//
// Errors: the action's own or its check's, and nothing is known then; the alerter's, since an alert that
// nobody heard is none.
func Act(ctx context.Context, id string, a Action, alerter Alerter) (Acted, error) {
	if err := a.Do(ctx); err != nil {
		return Acted{}, fmt.Errorf("%s: %w", id, err)
	}
	difference, err := a.Verify(ctx)
	if err != nil {
		return Acted{}, fmt.Errorf("check of %s: %w", id, err)
	}
	if difference == "" {
		return Acted{Verified: true}, nil
	}
	done := Acted{Difference: difference, UndoneError: a.Undo(ctx)}
	text := difference + "; rolled back"
	if done.UndoneError != nil {
		text = difference + "; not rolled back: " + done.UndoneError.Error()
	}
	return done, alerter.Raise(ctx, Alert{ID: id, Run: id, Text: text})
}
