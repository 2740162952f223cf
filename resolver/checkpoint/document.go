package checkpoint

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
)

// document is one saved state: its text, and the state that the text decodes to. Both are read only, so
// rows, images and stores share them.
type document struct {
	text  []byte
	state *resolver.TaskState
}

// stamped returns the text of a state as saved at now. The given state is not changed. A state that could
// not be read again is refused: a store that accepted it would have lost the run.
func stamped(s *resolver.TaskState, now time.Time) ([]byte, error) {
	if s.RunID == "" {
		return nil, fmt.Errorf("%w: a run without an id", ErrBadArgument)
	}
	for _, name := range []string{s.RunID, s.TicketID, s.Variant, s.Model} {
		if !utf8.ValidString(name) { // A column would say what JSON can't carry.
			return nil, fmt.Errorf("%w: field run_id: %q is no text", resolver.ErrBadState, name)
		}
	}
	c := *s
	c.UpdatedAt = now
	return resolver.EncodeReadable(&c)
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

// readDocument decodes a text.
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

func (d *document) summary() resolver.RunSummary { return summaryOf(d.state) }

func summaryOf(s *resolver.TaskState) resolver.RunSummary {
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
