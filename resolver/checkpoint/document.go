package checkpoint

import (
	"fmt"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// document is one saved state: its text, and the state that the text decodes to. Both are read only, so
// rows, images and stores share them.
type document struct {
	text  []byte
	state *resolver.TaskState
}

// stamped returns the text of a state as saved at now. The given state is not changed.
func stamped(s *resolver.TaskState, now time.Time) ([]byte, error) {
	if s.RunID == "" {
		return nil, fmt.Errorf("%w: a run without an id", ErrBadArgument)
	}
	c := *s
	c.UpdatedAt = now
	text, err := resolver.EncodeState(&c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", resolver.ErrBadState, err)
	}
	return text, nil
}

// kept returns the document of a state that is kept as it is, beside an earlier document of its run. Only its
// text, if somebody asks for it, goes through the encoding.
func kept(s, old *resolver.TaskState, now time.Time) (*document, error) {
	if s.RunID == "" {
		return nil, fmt.Errorf("%w: a run without an id", ErrBadArgument)
	}
	c := cloneBeside(s, old)
	c.Version, c.UpdatedAt = 0, now
	return &document{state: c}, nil
}

// readDocument decodes a text. Saves go through it too: a store that accepted a state it can't read
// again would have lost the run.
func readDocument(text []byte, runID string) (*document, error) {
	s, err := resolver.DecodeState(text)
	if err != nil {
		return nil, err
	}
	if s.RunID != runID {
		return nil, fmt.Errorf("%w: field run_id: %q in the row of %q", resolver.ErrBadState, s.RunID, runID)
	}
	return &document{text: text, state: s}, nil
}

func (d *document) summary() resolver.RunSummary {
	s := d.state
	return resolver.RunSummary{
		RunID: s.RunID, TicketID: s.TicketID, Variant: s.Variant, Model: s.Model, Status: s.Status, UpdatedAt: s.UpdatedAt,
		ModelCalls: s.Usage.ModelCalls, InputTokens: s.Usage.InputTokens, OutputTokens: s.Usage.OutputTokens,
	}
}

// prunable reports whether a run is finished and was last saved before a time. A status that is not in
// the table counts as unfinished.
func prunable(s resolver.RunSummary, olderThan time.Time) bool {
	return s.Status.Known() && s.Status.Final() && s.UpdatedAt.Before(olderThan)
}

func newDocument(s *resolver.TaskState, now time.Time) (*document, error) {
	text, err := stamped(s, now)
	if err != nil {
		return nil, err
	}
	return readDocument(text, s.RunID)
}
